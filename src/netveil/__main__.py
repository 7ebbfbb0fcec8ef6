"""`python -m netveil` is `netveil`."""

import sys

from netveil.cli import main

sys.exit(main())
