"""What the page can ask for, a topic a file. `tests/web` asks each of them for what it must refuse."""
