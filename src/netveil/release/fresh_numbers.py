"""Fresh numbers for people: a permutation that tells nothing about itself to whoever lacks its key."""

from __future__ import annotations

import hmac
import secrets

import numpy as np

from netveil.kernels.arrays import IntVector

BYTES_OF_SECRET = 32
DRAWS_IN_BLOCK = 4  # of 64 bits each, in the 256 that HMAC-SHA-256 gives


def new_secret() -> bytes:
    """Random bytes that nobody can guess, for the numbers of one release."""
    return secrets.token_bytes(BYTES_OF_SECRET)


def keyed_permutation(key: bytes, length: int) -> IntVector:
    """The numbers 0 to length - 1 in an order that the key decides.

    HMAC-SHA-256 under the key gives each place 64 bits, and places are ranked by them. Generators for
    simulations, such as PCG64, are not made for secrets: some of their draws tell the others.

    >>> keyed_permutation(b"a key", 5).tolist()
    [2, 1, 0, 4, 3]
    """
    blocks = range(-(-length // DRAWS_IN_BLOCK))
    stream = b"".join(hmac.digest(key, block.to_bytes(8, "big"), "sha256") for block in blocks)
    draws = np.frombuffer(stream, dtype=">u8")[:length]
    numbers = np.empty(length, dtype=np.int64)
    numbers[np.argsort(draws, kind="stable")] = np.arange(length)
    return numbers
