"""Writes docs/PYTHON.md, the reference of the Python package, of its docstrings.

    python client/python/reference.py

It reads the sources without importing them, so that nothing has to be installed.
"""

from __future__ import annotations

import ast
import inspect
from pathlib import Path

HERE = Path(__file__).resolve().parent
PACKAGE = HERE / "src" / "mahabo"
TARGET = HERE.parents[1] / "docs" / "PYTHON.md"

# What is documented, in this order: module, heading, names (all that are public if there are none).
PARTS: list[tuple[list[str], str, list[str]]] = [
    (["optimize"], "Minimise and maximise", ["minimize", "maximize"]),
    (["result", "picture"], "Results", ["Result", "Picture"]),
    (["space"], "Parameters", ["Float", "Log", "Int", "LogInt", "Ordinal", "Choice", "Bool", "Fixed", "Parameter"]),
    (["client"], "A server for several machines", ["connect", "Client"]),
    (["study", "trial"], "Studies and trials", ["Study", "Trial", "Best", "Front", "Report", "Correction", "Model", "Prediction", "StudyInfo", "ImportReport"]),
    (["optuna"], "mahabo.optuna", ["MahaboSampler"]),
    (["sklearn"], "mahabo.sklearn", ["MahaboSearchCV"]),
    (["ray"], "mahabo.ray", ["MahaboSearch"]),
    (["mlflow"], "mahabo.mlflow", ["MLflowCallback"]),
    (["errors"], "Errors", []),
]


def reference() -> str:
    """Return the document."""
    lines = ["# Reference of the Python package", "", "Made of the docstrings by `client/python/reference.py`. The [guide](guides/python.md) is for reading."]
    for modules, heading, names in PARTS:
        found: dict[str, ast.stmt] = {}
        for module in modules:
            tree = ast.parse((PACKAGE / f"{module}.py").read_text(encoding="utf-8"))
            found |= {n.name: n for n in tree.body if isinstance(n, (ast.ClassDef, ast.FunctionDef))}
        lines += ["", f"## {heading}"]
        for name in names or [n for n, node in found.items() if isinstance(node, ast.ClassDef) and not n.startswith("_")]:
            lines += _entry(found[name])
    return "\n".join(lines) + "\n"


def _entry(node: ast.stmt) -> list[str]:
    if isinstance(node, ast.FunctionDef):
        return ["", f"### {node.name}", "", *_code(_signature(node, node.name)), "", _doc(node)]
    assert isinstance(node, ast.ClassDef)
    lines = ["", f"### {node.name}"]
    init = next((m for m in node.body if isinstance(m, ast.FunctionDef) and m.name == "__init__"), None)
    if init is not None and not _is_error(node):
        lines += ["", *_code(_signature(init, node.name, method=True))]
    lines += ["", _doc(node)]
    members = [*_fields(node), *_methods(node)]
    return [*lines, "", *members] if members else lines


def _is_error(node: ast.ClassDef) -> bool:
    return any(isinstance(b, ast.Name) and b.id.endswith(("Error", "Exception", "Warning", "Problem", "Interrupt")) for b in node.bases)


def _fields(node: ast.ClassDef) -> list[str]:
    if not node.decorator_list:
        return []
    lines = []
    for i, statement in enumerate(node.body):
        if not isinstance(statement, ast.AnnAssign) or not isinstance(statement.target, ast.Name):
            continue
        after = node.body[i + 1] if i + 1 < len(node.body) else None
        text = ""
        if isinstance(after, ast.Expr) and isinstance(after.value, ast.Constant) and isinstance(after.value.value, str):
            text = ": " + " ".join(after.value.value.split())
        lines.append(f"- `{statement.target.id}: {ast.unparse(statement.annotation)}`{text}")
    return lines


def _methods(node: ast.ClassDef) -> list[str]:
    lines = []
    for m in node.body:
        if not isinstance(m, ast.FunctionDef) or m.name.startswith("_") or not ast.get_docstring(m):
            continue
        decorators = {ast.unparse(d) for d in m.decorator_list}
        if "classmethod" in decorators:
            continue
        shown = m.name if "property" in decorators else _signature(m, m.name, method=True)
        lines.append(f"- `{' '.join(shown.split())}`: {' '.join(_doc(m).split())}")
    return lines


def _signature(f: ast.FunctionDef, name: str, method: bool = False) -> str:
    arguments = ast.unparse(f.args)
    if method:
        arguments = arguments.removeprefix("self").removeprefix(", ")
    returns = "" if f.returns is None or name[0].isupper() else f" -> {ast.unparse(f.returns)}"
    line = f"{name}({arguments}){returns}"
    if len(line) <= 100:
        return line
    return f"{name}(\n" + "".join(f"    {p},\n" for p in _split(arguments)) + f"){returns}"


def _split(arguments: str) -> list[str]:
    """Return the arguments one by one; a star alone stays with the next."""
    parts, depth, start = [], 0, 0
    for i, c in enumerate(arguments + ","):
        depth += (c in "([{") - (c in ")]}")
        if c == "," and depth == 0:
            parts.append(arguments[start:i].strip())
            start = i + 1
    joined: list[str] = []
    for part in parts:
        if joined and joined[-1] == "*":
            joined[-1] = f"*, {part}"
        else:
            joined.append(part)
    return joined


def _code(text: str) -> list[str]:
    return ["```python", text, "```"]


def _doc(node: ast.ClassDef | ast.FunctionDef) -> str:
    return inspect.cleandoc(ast.get_docstring(node) or "")


if __name__ == "__main__":
    TARGET.write_text(reference(), encoding="utf-8")
