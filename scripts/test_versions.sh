#!/usr/bin/env bash
# The tests on every Python that we support with the newest dependencies, and on the oldest Python with the lowest
# that pyproject.toml allows. For maintainers, before a release:
#
#   make test-versions                                     all of them; an hour or two, most of it compiling
#   scripts/test_versions.sh newest-python3.13 tests/files  one of them, and what to hand to pytest
#
# Environments and compiled kernels are kept in $NETVEIL_VERSIONS, so that the next time is quicker; delete the
# folder to get dependencies that have become newer. With the newest ones, deprecations that other packages
# announce to our code are errors too: there is time to follow them before anybody else is told.
set -euo pipefail
cd "$(dirname "$0")/.."
home=${NETVEIL_VERSIONS:-${TMPDIR:-/tmp}/netveil-versions}
bin=bin
[[ "$OSTYPE" == msys* || "$OSTYPE" == cygwin* ]] && bin=Scripts
strict='error:::(netveil|test_|naive)
error:(?s).*ResourceWarning:pytest.PytestUnraisableExceptionWarning
error::pytest.PytestUnhandledThreadExceptionWarning
ignore:Code running in object mode'

if [[ "${1:-}" == *-python3* ]]; then
    rows=("$1")
    shift
else
    rows=(newest-python3.11 newest-python3.12 newest-python3.13 lowest-python3.11)
fi

# A Python of this version that is on the path, by its own name or as `python`, or that pyenv has installed.
python_called() {
    local version=${1#python}
    for candidate in "$1" python "${PYENV_ROOT:-$HOME/.pyenv}"/versions/"$version".*/bin/"$1"; do
        if "$candidate" -c "import sys; sys.exit('%d.%d' % sys.version_info[:2] != '$version')" 2> /dev/null; then
            echo "$candidate"
            return
        fi
    done
    echo "there is no $1 here; install it, or name one that there is: $0 newest-python3.12" >&2
    return 1
}

mkdir -p "$home"
failed=()
for row in "${rows[@]}"; do
    which=${row%%-*} python=${row#*-} folder=$home/$row
    if [ ! -e "$folder/installed" ] || [ pyproject.toml -nt "$folder/installed" ]; then
        found=$(python_called "$python")
        "$found" -m venv --clear "$folder"
        "$folder/$bin/python" -m pip install --quiet --disable-pip-version-check uv
        resolution=highest
        [ "$which" = lowest ] && resolution=lowest-direct
        "$folder/$bin/uv" pip install --quiet --python "$folder/$bin/python" --resolution "$resolution" \
            --editable ".[dev]"
        touch "$folder/installed"
    fi
    options=(-n "${WORKERS:-auto}" -q -p no:cacheprovider)
    [ "$which" = newest ] && options+=(-o "filterwarnings=$strict")
    echo "== $row"
    NUMBA_CACHE_DIR=$folder/kernels "$folder/$bin/python" -m pytest "${options[@]}" "$@" || failed+=("$row")
done
if [ ${#failed[@]} -gt 0 ]; then
    echo "failed: ${failed[*]}"
    exit 1
fi
echo "passed: ${rows[*]}"
