"""Compiled code: arrays in, arrays out, no classes, no files. The only place where numba is imported.

Importing this package does not import numba; its modules do, except `arrays`.
"""
