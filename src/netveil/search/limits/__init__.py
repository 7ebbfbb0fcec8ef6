"""Limits on what a deletion may cost (`--keep METRIC=SHARE`): one a file, all of them in `LIMITS`."""
