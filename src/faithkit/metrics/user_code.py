"""Metrics from outside the package: a user's file with the modules beside it, and the hash of code
that names their numbers.

The file is imported as a module of a private package whose folder is the file's own, so that it
and the modules beside it import each other by their plain names without a change to sys.path, and
two files' modules of one name are two modules.
"""

from __future__ import annotations

import ast
import builtins
import hashlib
import importlib
import importlib.util
import inspect
import re
import sys
import traceback
import types
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from importlib.machinery import ModuleSpec, SourceFileLoader
from pathlib import Path
from typing import Any

PREFIX = "faithkit_outside_"
"""How the names of private packages begin."""

INSTALLED = ("site-packages", "dist-packages")
"""Folders in which every package is beside every other."""


def module_from_file(path: Path) -> types.ModuleType:
    """The file as a module, run once for as long as neither it nor a module beside it that it
    imports is changed. Raises whatever the code raises."""
    root = path.resolve().parent
    files = _code_files(path.resolve(), root)
    identity = hashlib.sha256(f"{path.resolve()} {_digest(files, root)}".encode()).hexdigest()[:12]
    package = f"{PREFIX}{identity}"
    stem = re.sub(r"\W", "_", path.stem)
    name = f"{package}.{stem}"
    if name in sys.modules:
        return sys.modules[name]
    if not any(isinstance(finder, _Finder) for finder in sys.meta_path):
        sys.meta_path.insert(0, _Finder())
    sys.modules[package] = parent = types.ModuleType(package)
    parent.__path__ = [str(root)]
    spec = importlib.util.spec_from_file_location(name, path, loader=_Loader(name, str(path)))
    if spec is None or spec.loader is None:
        raise ImportError(f"{path} cannot be imported as Python")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[name]
        raise
    return module


def failing_line(error: BaseException) -> str:
    """The last line of a user's file that the error came through, as ` (FILE, line N)`; "" where
    it came through none."""
    frames = traceback.walk_tb(error.__traceback__)
    own = [(frame.f_code.co_filename, line) for frame, line in frames
           if frame.f_globals.get("__name__", "").startswith(PREFIX)]  # fmt: skip
    return f" ({own[-1][0]}, line {own[-1][1]})" if own else ""


def code_of(metric: type) -> str | None:
    """12 hex digits of a SHA-256 over the file that defines the class and the modules beside it
    that it imports, at whatever depth; None for a class without a file. Of an installed package
    the modules of that package count."""
    try:
        file = Path(inspect.getfile(metric)).resolve()
    except (TypeError, OSError):
        return None
    if not file.is_file():  # a notebook's cell
        return None
    module = metric.__module__
    top, dotted = module.partition(".")[0], module.count(".")
    if top.startswith(PREFIX) or module == "__main__":
        root = Path(sys.modules[top].__path__[0]) if top != "__main__" else file.parent
    else:
        root = file.parents[dotted + (file.name == "__init__.py")]
    only = top if root.name in INSTALLED else None
    return _digest(_code_files(file, root, only), root)[:12]


def _digest(files: Sequence[Path], root: Path) -> str:
    """A hash of the first file's code, whatever its name, and of the names and code of the
    others."""
    hashed = hashlib.sha256(files[0].read_bytes())
    for file in sorted(files[1:]):
        code = file.read_bytes()
        hashed.update(f"\n{file.relative_to(root).as_posix()} {len(code)}\n".encode() + code)
    return hashed.hexdigest()


def _code_files(start: Path, root: Path, only: str | None = None) -> list[Path]:
    """The file, then the files below `root` that it imports, those that they import, and so on.

    only: the one top-level package whose files count; None for whatever is there
    """
    files = {start: None}
    waiting = [start]
    while waiting:
        file = waiting.pop()
        package = ".".join(file.parent.relative_to(root).parts)
        for name in _imported_names(file.read_bytes(), package):
            top = name.partition(".")[0]
            if _is_beside(top, root) and only in (None, top):
                new = [path for path in _files_of(name, root) if path not in files]
                files |= dict.fromkeys(new)
                waiting += new
    return list(files)


def _imported_names(code: bytes, package: str) -> Iterator[str]:
    """Every name that a file of this package may import a module by, anywhere in its code."""
    try:
        tree = ast.parse(code)
    except (SyntaxError, ValueError):
        return  # importing it says what is wrong
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (item.name for item in node.names)
        elif isinstance(node, ast.ImportFrom):
            parts = package.split(".") if package and node.level else []
            parts = parts[: len(parts) - node.level + 1] if node.level else parts
            base = ".".join([*parts, *([node.module] if node.module else [])])
            yield from (f"{base}.{item.name}".lstrip(".") for item in node.names)


def _files_of(name: str, root: Path) -> Iterator[Path]:
    """The files that an import of this name runs: those of each parent package, and of the
    module."""
    path = root
    for part in name.split("."):
        path = path / part
        for file in (path / "__init__.py", path.with_name(f"{part}.py")):
            if file.is_file():
                yield file


def _is_beside(top: str, root: Path) -> bool:
    """Whether a plain import of this name means a module in the folder. Neither the standard
    library nor faithkit is shadowed by a file of the same name."""
    if not top or top in sys.stdlib_module_names or top == "faithkit":
        return False
    return (root / f"{top}.py").is_file() or (root / top / "__init__.py").is_file()


class _Finder:
    """Finds the modules of private packages."""

    def find_spec(
        self,
        fullname: str,
        path: Sequence[str] | None = None,
        target: types.ModuleType | None = None,  # noqa: ARG002
    ) -> ModuleSpec | None:
        if not fullname.startswith(PREFIX) or not path:
            return None
        location = Path(path[0]) / fullname.rpartition(".")[2]
        for file in (location / "__init__.py", location.with_name(f"{location.name}.py")):
            if file.is_file():
                inner = [str(location)] if file.name == "__init__.py" else None
                return importlib.util.spec_from_file_location(
                    fullname,
                    file,
                    loader=_Loader(fullname, str(file)),
                    submodule_search_locations=inner,
                )
        return None


class _Loader(SourceFileLoader):
    """Runs a module of a private package, whose plain imports look beside the file first. Compiled
    files are neither read nor left: their check by time and size misses a quick edit."""

    def get_code(self, fullname: str) -> types.CodeType | None:  # noqa: ARG002
        return self.source_to_code(self.get_data(self.path), self.path)

    def exec_module(self, module: types.ModuleType) -> None:
        package = module.__name__.partition(".")[0]
        importer = partial(_import, package, Path(sys.modules[package].__path__[0]))
        module.__dict__["__builtins__"] = {**vars(builtins), "__import__": importer}
        super().exec_module(module)


def _import(
    package: str,
    root: Path,
    name: str,
    globals: Mapping[str, Any] | None = None,
    locals: Mapping[str, Any] | None = None,
    fromlist: Sequence[str] | None = (),
    level: int = 0,
) -> types.ModuleType:
    """`__import__` of the modules of a private package."""
    if level or not _is_beside(name.partition(".")[0], root):
        return builtins.__import__(name, globals, locals, fromlist or (), level)
    module = importlib.import_module(f"{package}.{name}")
    if fromlist:
        return builtins.__import__(module.__name__, globals, locals, fromlist, 0)
    return sys.modules[f"{package}.{name.partition('.')[0]}"]
