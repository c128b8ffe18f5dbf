"""The peers by name: script, options, and the virtual environment that `make peers` made for them.

    mahabo bench run --suite field --method "adaptive,$(python3 bench/peers/catalog.py optuna-tpe cmaes)" --out results/field

prints peers as methods of a benchmark that is run in the root of the repository; without names all that are made for one outcome.
"""

from __future__ import annotations

import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent

# name: script, options, environment
PEERS = {
    "botorch-vanilla": ("botorch_vanilla.py", (), ".venv"),
    "botorch-saas": ("botorch_saas.py", (), ".venv"),
    "botorch-turbo": ("botorch_turbo.py", (), ".venv"),
    "turbo-1": ("turbo.py", (), ".venv"),
    "turbo-5": ("turbo.py", ("--regions", "5"), ".venv"),
    "optuna-gp": ("optuna_gp.py", (), ".venv"),
    "optuna-tpe": ("optuna_tpe.py", (), ".venv"),
    "cmaes": ("cmaes_peer.py", (), ".venv"),
    "smac": ("smac_peer.py", (), ".venv"),
    "nevergrad": ("nevergrad_peer.py", (), ".venv"),
    "hebo": ("hebo_peer.py", (), ".venv-hebo"),
}

# Those for limits and several objectives; optuna-gp and optuna-tpe take them too.
OUTCOMES = {
    "scbo": ("scbo.py", (), ".venv"),
    "scbo-paper": ("scbo.py", ("--transform",), ".venv"),
    "botorch-outcomes": ("botorch_outcomes.py", (), ".venv"),
    "pymoo-nsga2": ("pymoo_nsga2.py", (), ".venv"),
    "optuna-nsga2": ("optuna_nsga2.py", (), ".venv"),
}
ALL = PEERS | OUTCOMES


def python(name: str) -> str:
    """The interpreter of a peer."""
    return str(HERE / ALL[name][2] / "bin" / "python")


def command(name: str) -> list[str]:
    script, options, _ = ALL[name]
    return [python(name), str(HERE / script), *options]


def method(name: str) -> str:
    """A peer for `mahabo bench run --method`, run in the root of the repository."""
    script, options, environment = ALL[name]
    return " ".join([f"exec:{name}=bench/peers/{environment}/bin/python bench/peers/{script}", *options])


if __name__ == "__main__":
    unknown = [name for name in sys.argv[1:] if name not in ALL]
    if unknown:
        sys.exit(f"no peer is called {', '.join(unknown)}: choose of {', '.join(ALL)}")
    print(",".join(method(name) for name in sys.argv[1:] or PEERS))
