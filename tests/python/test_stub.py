# SPDX-License-Identifier: GPL-2.0-only
"""The stub is the single source: every name of the C module stands in it, with its docstring."""

import ast
from typing import Dict, Set

import _tamis
import support

STUB = support.TOP / "python/tamis/_tamis.pyi"


def stub_names() -> Dict[str, Set[str]]:
    names: Dict[str, Set[str]] = {}
    for node in ast.parse(STUB.read_text()).body:
        if isinstance(node, ast.ClassDef):
            names[node.name] = {
                m.name
                if isinstance(m, ast.FunctionDef)
                else getattr(getattr(m, "target", None), "id", "")
                for m in node.body
            }
        elif isinstance(node, ast.FunctionDef):
            names[node.name] = set()
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            names[node.target.id] = set()
    return names


def test_every_name_is_in_the_stub() -> None:
    names = stub_names()
    for name, value in vars(_tamis).items():
        if name.startswith("__"):
            continue
        assert name in names, f"_tamis.{name} is not in the stub"
        if not isinstance(value, type):
            continue
        for member in vars(value):
            if not member.startswith("__"):
                assert member in names[name], f"_tamis.{name}.{member} is not in the stub"


def test_every_public_name_of_the_stub_is_there_and_documented() -> None:
    for name in stub_names():
        assert hasattr(_tamis, name) or name == "_Tables"
        if not name.startswith("_"):
            assert getattr(_tamis, name).__doc__
    assert _tamis.__doc__
