#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Writes a C header with the docstrings and signatures of a stub: docstrings.py STUB > HEADER

`DOC` is the module's, `DOC_name` a function's or a class's, `DOC_Class_name` a method's or a
property's. Functions and methods begin with the line that inspect.signature() reads.
"""

import ast
import sys
from typing import Iterator, Optional, Tuple, Union

Function = Union[ast.FunctionDef, ast.AsyncFunctionDef]


def quote(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return " \\\n\t".join(f'"{line}\\n"' for line in escaped.split("\n"))


def is_property(node: Function) -> bool:
    return any(isinstance(d, ast.Name) and d.id == "property" for d in node.decorator_list)


def without_types(node: Function, is_method: bool) -> str:
    args = node.args
    for arg in args.posonlyargs + args.args + args.kwonlyargs:
        arg.annotation = None
    for star in (args.vararg, args.kwarg):
        if star:
            star.annotation = None
    text = ast.unparse(args)
    return text.replace("self", "$self", 1) if is_method else text


def doc_of(node: Function, is_method: bool) -> Optional[str]:
    text = ast.get_docstring(node)
    if text is None or is_property(node):
        return text
    return f"{node.name}({without_types(node, is_method)})\n--\n\n{text}"


def docstrings(module: ast.Module) -> Iterator[Tuple[str, str]]:
    yield "DOC", ast.get_docstring(module) or ""
    for node in module.body:
        if isinstance(node, ast.FunctionDef):
            yield f"DOC_{node.name}", doc_of(node, False) or ""
        elif isinstance(node, ast.ClassDef):
            yield f"DOC_{node.name}", ast.get_docstring(node) or ""
            for member in node.body:
                if isinstance(member, ast.FunctionDef):
                    text = doc_of(member, True)
                    if text:
                        yield f"DOC_{node.name}_{member.name}", text


def main() -> None:
    with open(sys.argv[1], encoding="utf-8") as stub:
        module = ast.parse(stub.read())
    print(f"/* Made from {sys.argv[1]} by python/docstrings.py. */")
    for name, text in docstrings(module):
        print(f"#define {name} \\\n\t{quote(text)}")


if __name__ == "__main__":
    main()
