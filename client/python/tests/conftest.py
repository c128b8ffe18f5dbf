"""The fixtures of all tests."""

import signal

from serving import binary, client, private, shared, study

__all__ = ["binary", "client", "private", "shared", "study"]

# Shells have what they start in the background ignore interrupts, and some tests interrupt themselves.
signal.signal(signal.SIGINT, signal.default_int_handler)
