# SPDX-License-Identifier: MIT
"""Holds when every function test_* of the Python tests is used somewhere in the tests beside where it is defined, so that none is
written and never run. Usage: called.py SOURCE_FOLDER"""
import ast
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
sys.dont_write_bytecode = True
from checks import check, finish  # noqa: E402

root = pathlib.Path(sys.argv[1])
trees = {path.relative_to(root): ast.parse(path.read_text()) for path in sorted(root.glob("tests/**/*.py"))}
named = {path: {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)} for path, tree in trees.items()}
defined = [(path, node.name) for path, tree in trees.items() for node in ast.walk(tree)
           if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")]
for path, name in defined:
    # Others may call what one file alone defines.
    shared = [other for _, other in defined].count(name) == 1
    check(name in named[path] or (shared and any(name in names for names in named.values())),
          f"{path} defines {name} and never calls it")
check(len(defined) > 50, f"only {len(defined)} test functions are found")
finish()
