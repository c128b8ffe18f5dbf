"""The peers by name: script, options, and the virtual environment that `make peers` made for them."""

from __future__ import annotations

from pathlib import Path

HERE = Path(__file__).resolve().parent

# name: script, options, environment
PEERS = {
    "botorch-vanilla": ("botorch_vanilla.py", (), ".venv"),
    "botorch-saas": ("botorch_saas.py", (), ".venv"),
    "turbo-1": ("turbo.py", (), ".venv"),
    "turbo-5": ("turbo.py", ("--regions", "5"), ".venv"),
    "optuna-gp": ("optuna_gp.py", (), ".venv"),
    "optuna-tpe": ("optuna_tpe.py", (), ".venv"),
    "cmaes": ("cmaes_peer.py", (), ".venv"),
    "smac": ("smac_peer.py", (), ".venv"),
    "nevergrad": ("nevergrad_peer.py", (), ".venv"),
    "hebo": ("hebo_peer.py", (), ".venv-hebo"),
}


def python(name: str) -> str:
    """The interpreter of a peer."""
    return str(HERE / PEERS[name][2] / "bin" / "python")


def command(name: str) -> list[str]:
    script, options, _ = PEERS[name]
    return [python(name), str(HERE / script), *options]
