#!/usr/bin/env bash
# All that netveil needs, as files for a machine without internet that has the same Python and system as this one:
#
#   make wheelhouse                 makes wheelhouse/, to be carried there
#   wheelhouse/install.sh [FOLDER]  there: makes an environment in FOLDER (.venv) and installs netveil into it
set -euo pipefail
cd "$(dirname "$0")/.."
python=${1:-.venv/bin/python}
rm -rf wheelhouse
"$python" -m pip wheel --quiet --disable-pip-version-check --wheel-dir wheelhouse ".[web,parquet,xlsx,pandas,networkx]"
"$python" -c 'import platform, sys; print("%d.%d" % sys.version_info[:2], platform.system(), platform.machine())' \
    > wheelhouse/made-for
cat > wheelhouse/install.sh << 'INSTALL'
#!/usr/bin/env bash
# Installs netveil from the files beside this one, without internet: install.sh [FOLDER [PYTHON]]
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd) folder=${1:-.venv} python=${2:-python3}
this=$("$python" -c 'import platform, sys; print("%d.%d" % sys.version_info[:2], platform.system(), platform.machine())')
if [ "$this" != "$(cat "$here/made-for")" ]; then
    echo "these files are for Python $(cat "$here/made-for"), and $python is $this; name another Python behind the folder." >&2
    exit 2
fi
"$python" -m venv "$folder"
"$folder/bin/python" -m pip install --quiet --disable-pip-version-check --no-index --find-links "$here" \
    "netveil[web,parquet,xlsx,pandas,networkx]"
"$folder/bin/netveil" compile
echo "Installed: $folder/bin/netveil"
INSTALL
chmod +x wheelhouse/install.sh
echo "Made: $(find wheelhouse -name '*.whl' | wc -l) wheels in wheelhouse/; carry the folder there and run wheelhouse/install.sh"
