"""Builds the wheels: the package and, in each, the program for one platform.

    python client/python/wheels.py --out dist              # all platforms
    python client/python/wheels.py --platform linux/amd64  # one

The same source and the same versions of Go and Python give the same bytes: Go's builds leave
out paths and revisions, and the archives have fixed times and modes. It needs Python 3.11, and
nothing but its standard library.
"""

from __future__ import annotations

import argparse
import base64
import hashlib
import os
import re
import subprocess
import sys
import tempfile
import tomllib
import zipfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]

# The program is static, so one wheel serves the systems with glibc and with musl. macOS 12
# and Windows 10 are what Go asks for.
PLATFORMS = {
    "linux/amd64": ["manylinux_2_17_x86_64", "manylinux2014_x86_64", "musllinux_1_1_x86_64"],
    "linux/arm64": ["manylinux_2_17_aarch64", "manylinux2014_aarch64", "musllinux_1_1_aarch64"],
    "darwin/amd64": ["macosx_12_0_x86_64"],
    "darwin/arm64": ["macosx_12_0_arm64"],
    "windows/amd64": ["win_amd64"],
}
LIMIT = 25 << 20  # bytes of a wheel


def version() -> str:
    """Return the version of the package, which is that of the program in it."""
    text = (HERE / "src/mahabo/__init__.py").read_text(encoding="utf-8")
    found = re.search(r'^__version__ = "(.+)"$', text, re.MULTILINE)
    if found is None:
        raise SystemExit("src/mahabo/__init__.py has no __version__")
    return found[1]


def compile_program(platform: str, target: Path) -> None:
    """Build the program for a platform, stripped."""
    system, processor = platform.split("/")
    environment = {**os.environ, "CGO_ENABLED": "0", "GOOS": system, "GOARCH": processor}
    flags = f"-s -w -buildid= -X main.release=v{version()}"
    command = [os.environ.get("GO", "go"), "build", "-trimpath", "-buildvcs=false", "-ldflags", flags, "-o", str(target), "./cmd/mahabo"]
    subprocess.run(command, cwd=ROOT, env=environment, check=True)


def metadata(project: dict[str, object]) -> str:
    """Return METADATA for what pyproject.toml says."""
    lines = [
        "Metadata-Version: 2.1",
        f"Name: {project['name']}",
        f"Version: {version()}",
        f"Summary: {project['description']}",
        f"License: {project['license']['text']}",  # type: ignore[index]
        f"Requires-Python: {project['requires-python']}",
    ]
    lines += [f"Keywords: {','.join(project['keywords'])}"] if "keywords" in project else []  # type: ignore[arg-type]
    lines += [f"Classifier: {c}" for c in project["classifiers"]]  # type: ignore[attr-defined]
    for extra, needs in project["optional-dependencies"].items():  # type: ignore[attr-defined]
        lines.append(f"Provides-Extra: {extra}")
        lines += [f'Requires-Dist: {need} ; extra == "{extra}"' for need in needs]
    lines += ["Description-Content-Type: text/markdown", "", (HERE / "README.md").read_text(encoding="utf-8")]
    return "\n".join(lines)


def contents(platform: str, program: Path) -> dict[str, tuple[bytes, int]]:
    """Return the files of a wheel by name, with their modes; all but RECORD."""
    project = tomllib.loads((HERE / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    info = f"mahabo-{version()}.dist-info"
    files = {
        path.relative_to(HERE / "src").as_posix(): (path.read_bytes(), 0o644)
        for path in (HERE / "src").rglob("*")
        if path.suffix in (".py", ".yaml") or path.name == "py.typed"
    }
    files["mahabo/bin/mahabo" + (".exe" if platform.startswith("windows/") else "")] = (program.read_bytes(), 0o755)
    tags = "".join(f"Tag: py3-none-{tag}\n" for tag in PLATFORMS[platform])
    files |= {
        f"{info}/METADATA": (metadata(project).encode(), 0o644),
        f"{info}/WHEEL": (f"Wheel-Version: 1.0\nGenerator: mahabo\nRoot-Is-Purelib: false\n{tags}".encode(), 0o644),
        f"{info}/entry_points.txt": (b"[console_scripts]\nmahabo = mahabo.__main__:main\n", 0o644),
        f"{info}/licenses/LICENSE": ((ROOT / "LICENSE").read_bytes(), 0o644),
        f"{info}/licenses/NOTICE": ((ROOT / "NOTICE").read_bytes(), 0o644),
    }
    return files


def pack(platform: str, program: Path, out: Path) -> Path:
    """Write a wheel and return its path."""
    files = contents(platform, program)
    info = f"mahabo-{version()}.dist-info"
    names = sorted(files, key=lambda name: (name.startswith(info), name))  # the standard asks for dist-info last
    record = "".join(f"{name},{_digest(files[name][0])},{len(files[name][0])}\n" for name in names)
    files[f"{info}/RECORD"] = ((record + f"{info}/RECORD,,\n").encode(), 0o644)
    path = out / f"mahabo-{version()}-py3-none-{'.'.join(PLATFORMS[platform])}.whl"
    with zipfile.ZipFile(path, "w") as wheel:
        for name in [*names, f"{info}/RECORD"]:
            data, mode = files[name]
            entry = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
            entry.create_system = 3  # Unix, so that the mode counts
            entry.external_attr = (0o100000 | mode) << 16
            wheel.writestr(entry, data, zipfile.ZIP_DEFLATED, 9)
    size = path.stat().st_size
    if size > LIMIT:
        raise SystemExit(f"{path} has {size} bytes, more than {LIMIT}")
    return path


def _digest(data: bytes) -> str:
    return "sha256=" + base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()


def main() -> None:
    """Build what the command line asks for."""
    parser = argparse.ArgumentParser(description="Build the wheels of mahabo.")
    parser.add_argument("--out", type=Path, default=ROOT / "dist", help="folder of the wheels (dist)")
    parser.add_argument("--platform", choices=PLATFORMS, action="append", help="one platform; again for more (all)")
    parser.add_argument("--program", type=Path, help="pack this program, of one platform, instead of building one")
    arguments = parser.parse_args()
    platforms = arguments.platform or list(PLATFORMS)
    if arguments.program and len(platforms) != 1:
        parser.error("--program is for one --platform")
    arguments.out.mkdir(parents=True, exist_ok=True)
    for platform in platforms:
        with tempfile.TemporaryDirectory() as folder:
            program = arguments.program or Path(folder) / "mahabo"
            if not arguments.program:
                compile_program(platform, program)
            path = pack(platform, program, arguments.out)
        digest = hashlib.sha256(path.read_bytes()).hexdigest()
        print(f"{path} {path.stat().st_size / 1e6:.1f} MB sha256 {digest}")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
