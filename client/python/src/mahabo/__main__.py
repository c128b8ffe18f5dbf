"""The command mahabo: the program that the wheel carries."""

from __future__ import annotations

import os
import subprocess
import sys

from .binary import find
from .errors import MahaboError


def main() -> int:
    """Run the program in place of this process, or for it on Windows."""
    try:
        command = [find(), *sys.argv[1:]]
    except MahaboError as e:
        print(f"mahabo: {e}", file=sys.stderr)
        return 1
    if sys.platform != "win32":
        os.execv(command[0], command)
    child = subprocess.Popen(command)
    while True:
        try:
            return child.wait()
        except KeyboardInterrupt:  # the program has got it too, and ends in its own way
            continue


if __name__ == "__main__":
    sys.exit(main())
