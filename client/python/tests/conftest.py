"""The fixtures of all tests."""

from serving import binary, client, private, shared, study

__all__ = ["binary", "client", "private", "shared", "study"]
