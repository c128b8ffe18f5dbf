"""The wheel in a fresh virtual environment."""

from __future__ import annotations

import os
import platform
import re
import signal
import subprocess
import sys
import urllib.request
import venv
from pathlib import Path

HERE = Path(__file__).parents[1]
PROCESSORS = {"x86_64": "amd64", "AMD64": "amd64", "aarch64": "arm64", "arm64": "arm64"}


def test_wheel(binary: str, tmp_path: Path) -> None:
    target = f"{sys.platform.replace('win32', 'windows')}/{PROCESSORS[platform.machine()]}"
    out = tmp_path / "wheels"
    command = [sys.executable, str(HERE / "wheels.py"), "--platform", target, "--program", binary, "--out", str(out)]
    subprocess.run(command, check=True)
    venv.create(tmp_path / "venv", with_pip=True)
    bin = tmp_path / "venv" / "bin"
    (wheel,) = out.iterdir()
    assert wheel.stat().st_size < 25 << 20
    subprocess.run([bin / "python", "-m", "pip", "install", "--quiet", "--no-index", wheel], check=True)
    environment = {k: v for k, v in os.environ.items() if k not in ("MAHABO", "PYTHONPATH")} | {"PATH": str(bin)}

    first = re.findall(r"```python\n(.*?)```", (HERE / "README.md").read_text(), re.DOTALL)[0]
    ran = subprocess.run([bin / "python", "-c", first], cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr
    assert "minimized to" in ran.stdout and (tmp_path / "values.svg").exists()

    server = subprocess.Popen([bin / "mahabo", "serve", "--addr", "127.0.0.1:0"], cwd=tmp_path, env=environment, stdout=subprocess.PIPE, text=True)
    try:
        assert server.stdout is not None
        url = server.stdout.readline().split()[-1]
        with urllib.request.urlopen(url + "/healthz") as answer:
            assert answer.status == 200
    finally:
        server.send_signal(signal.SIGTERM)
        assert server.wait(30) == 0
