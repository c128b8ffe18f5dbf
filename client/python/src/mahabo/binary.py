"""Where the program is."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

from .errors import MahaboError

_NAME = "mahabo.exe" if sys.platform == "win32" else "mahabo"


def find() -> str:
    """Return the path of the program: $MAHABO, else the one of this package, else one on the path."""
    given = os.environ.get("MAHABO")
    if given:
        return str(Path(given).resolve())
    inside = Path(__file__).parent / "bin" / _NAME
    if inside.is_file():
        if not os.access(inside, os.X_OK):  # an installer has dropped the mode
            inside.chmod(0o755)
        return str(inside)
    found = shutil.which("mahabo")
    if found:
        return found
    raise MahaboError(
        "there is no program mahabo: install a wheel that has it (pip install mahabo), "
        "or build it and put it on the path, or name it in the environment variable MAHABO"
    )
