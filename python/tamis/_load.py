# SPDX-License-Identifier: GPL-2.0-only
"""How `tamis python` loads a script; called by the program, not by scripts.

Only what every interpreter has loaded anyway is imported: a script's start is waited for.
"""

from __future__ import annotations

import _frozen_importlib as bootstrap  # type: ignore[import]
import _frozen_importlib_external as external  # type: ignore[import]
import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:  # typing alone takes longer to import than all that is needed here
    from types import CodeType, ModuleType
    from typing import Any, FrozenSet, List, Optional, Tuple

    Loaded = Tuple[ModuleType, Optional[FrozenSet[str]]]


# Stands among the names for a method of that name, as event.print(); the function does not count.
PRINTS = ".print"


def load(script: str) -> Loaded:
    """Imports a script by path or a module by name. Returns it and the names that its code uses."""
    if "/" in script or os.path.isfile(script):
        return load_path(script)
    sys.path.insert(0, os.getcwd())
    return load_name(script)


def load_name(name: str) -> Loaded:
    __import__(name)
    module = sys.modules[name]
    spec = getattr(module, "__spec__", None)
    loader: Any = getattr(spec, "loader", None)
    if not hasattr(loader, "get_code"):
        return module, None
    source = loader.get_source(name) if hasattr(loader, "get_source") else None
    return module, names_of(loader.get_code(name), PRINTS in (source or ""))


def load_path(path: str) -> Loaded:
    path = os.path.abspath(path)
    name = os.path.basename(path).split(".")[0] or os.path.basename(path)
    sys.path.insert(0, os.path.dirname(path))
    if path.endswith(".so"):
        return load_extension(name, path), None
    loader = external.SourceFileLoader(name, path)
    # compiled here, so that no __pycache__ is left beside a script
    source = loader.get_data(path)
    code = loader.source_to_code(source, path)
    module = new_module(name, path, loader)
    exec(code, module.__dict__)
    return sys.modules.get(name, module), names_of(code, PRINTS.encode() in source)


def load_extension(name: str, path: str) -> ModuleType:
    loader = external.ExtensionFileLoader(name, path)
    module = new_module(name, path, loader)
    loader.exec_module(module)
    return module


def new_module(name: str, path: str, loader: Any) -> ModuleType:
    """An empty module under its name in sys.modules.

    A script may be called as a module of the library (time.py): it still finds that module's
    names in its own place, and so does everything else that asks for it.
    """
    spec = external.spec_from_file_location(name, path, loader=loader)
    module: ModuleType = bootstrap.module_from_spec(spec)
    before = sys.modules.get(name)
    if before is not None:
        module.__dict__["__getattr__"] = before.__getattribute__
    sys.modules[name] = module
    return module


def names_of(code: Optional[CodeType], prints: bool) -> Optional[FrozenSet[str]]:
    """Names and string constants of a code object and of all that are inside it."""
    if code is None:
        return None
    found: List[str] = [PRINTS] if prints else []
    todo: List[CodeType] = [code]
    while todo:
        one = todo.pop()
        found += one.co_names
        for const in one.co_consts:
            if isinstance(const, str):
                found.append(const)
            elif isinstance(const, type(one)):
                todo.append(const)
            elif isinstance(const, (tuple, frozenset)):
                found += [c for c in const if isinstance(c, str)]
    return frozenset(found)
