#!/usr/bin/env bash
# Checks that a version can be published, and tags it; a maintainer then pushes the tag, and a workflow publishes it.
# The version is that of src/netveil/_version.py; CHANGELOG.md and CITATION.cff must tell of it.
set -euo pipefail
cd "$(dirname "$0")/.."
version=$(sed -n 's/__version__ = "\(.*\)"/\1/p' src/netveil/_version.py)
stop() {
    echo "release $version: $*" >&2
    exit 1
}
[ -z "$(git status --porcelain)" ] || stop "the tree has changes that are not committed; commit or remove them."
[ "$(git branch --show-current)" = main ] || stop "this is not the branch main; switch to it."
! git rev-parse -q --verify "refs/tags/v$version" > /dev/null || stop "there is a tag v$version; raise the version."
grep -q "^## \[$version\] - " CHANGELOG.md || stop "CHANGELOG.md has no section [$version] with a date; write it."
grep -q "^version: $version$" CITATION.cff || stop "CITATION.cff is of another version; change it."
make test-all
.venv/bin/zizmor --offline .github/workflows
make build
make docs
[ -z "$(git status --porcelain)" ] || stop "the checks have changed files; look at git status."
git tag -a "v$version" -m "netveil $version"
echo "Tagged v$version. To publish it: git push origin main v$version"
