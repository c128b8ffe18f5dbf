"""Wheels, of the program that the tests use."""

from __future__ import annotations

import base64
import hashlib
import os
import shlex
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

import mahabo

HERE = Path(__file__).parents[1]
PROGRAM = """
import mahabo
print(mahabo.minimize(lambda p: p["x"] ** 2, [mahabo.Float("x", -1, 1)], evals=3).table[2]["state"])
"""


@pytest.fixture
def program(binary: str, tmp_path: Path) -> Path:
    """A small stand-in, which is packed faster."""
    path = tmp_path / "program"
    path.write_text(f'#!/bin/sh\nexec {shlex.quote(binary)} "$@"\n')
    return path


def build(program: Path, platform: str, out: Path) -> Path:
    command = [sys.executable, str(HERE / "wheels.py"), "--platform", platform, "--program", str(program), "--out", str(out)]
    subprocess.run(command, check=True)
    (wheel,) = out.iterdir()
    return wheel


def test_wheels(program: Path, tmp_path: Path) -> None:
    wheel = build(program, "linux/amd64", tmp_path / "a")
    copy = shutil.copyfile(program, tmp_path / "elsewhere")
    copy.chmod(0o700)
    os.utime(copy, (0, 0))
    again = build(copy, "linux/amd64", tmp_path / "b")
    assert again.name == wheel.name and again.read_bytes() == wheel.read_bytes()
    assert wheel.name == (
        f"mahabo-{mahabo.__version__}-py3-none-manylinux_2_17_x86_64.manylinux2014_x86_64.musllinux_1_1_x86_64.whl"
    )
    with zipfile.ZipFile(wheel) as files:
        names = files.namelist()
        record = files.read(f"mahabo-{mahabo.__version__}.dist-info/RECORD").decode().splitlines()
        for line in record[:-1]:
            name, digest, size = line.rsplit(",", 2)
            data = files.read(name)
            assert len(data) == int(size)
            assert digest == "sha256=" + base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        assert [line.split(",")[0] for line in record] == names
        assert files.getinfo("mahabo/bin/mahabo").external_attr >> 16 == 0o100755
        assert "mahabo/py.typed" in names
        files.extractall(tmp_path / "site")  # without modes, as some installers do
    environment = {k: v for k, v in os.environ.items() if k != "MAHABO"} | {"PYTHONPATH": str(tmp_path / "site"), "PATH": "/bin"}
    version = subprocess.run([sys.executable, "-m", "mahabo", "version"], env=environment, capture_output=True, text=True, check=True)
    assert version.stdout.startswith("mahabo ")
    run = subprocess.run([sys.executable, "-c", PROGRAM], env=environment, capture_output=True, text=True, check=True)
    assert run.stdout == "complete\n"


def test_a_wheel_for_windows(program: Path, tmp_path: Path) -> None:
    wheel = build(program, "windows/amd64", tmp_path / "a")
    with zipfile.ZipFile(wheel) as files:
        assert "mahabo/bin/mahabo.exe" in files.namelist()
        assert b"Tag: py3-none-win_amd64\n" in files.read(f"mahabo-{mahabo.__version__}.dist-info/WHEEL")
