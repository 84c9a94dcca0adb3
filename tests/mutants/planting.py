"""Puts a mutant in place: in a module that is loaded already, or as the module is imported."""

import importlib.abc
import importlib.util
import sys
from collections.abc import Iterator, Mapping
from importlib.machinery import ModuleSpec
from types import FunctionType, ModuleType
from typing import Any

from tests.mutants.making import Mutant


def swap_functions(mutant: Mutant) -> bool:
    """Give the loaded module's functions the code of the mutant's; False when one does not fit.

    The functions stay the same objects, so whoever imported them runs the mutant from now on.
    Only for a fault in the body of a function: tables and constants are copied when imported.
    """
    module = sys.modules[mutant.module]
    changed: dict[str, Any] = {"__name__": mutant.module}
    try:
        exec(compile(mutant.source, module.__file__ or mutant.module, "exec"), changed)
    except Exception:
        return False  # it can't be imported at all, which another trial shows
    originals = dict(_functions(vars(module), mutant.module))
    for name, function in _functions(changed, mutant.module):
        original = originals[name]
        if _shape(original) != _shape(function):
            return False  # such as a generator that lost its only yield
        original.__code__ = function.__code__
        original.__defaults__ = function.__defaults__
        original.__kwdefaults__ = function.__kwdefaults__
    return True


def _functions(names: Mapping[str, Any], module: str) -> Iterator[tuple[str, FunctionType]]:
    """The functions and methods that were written in this module, by their qualified names."""
    for value in list(names.values()):
        if isinstance(value, type) and value.__module__ == module:
            yield from _functions(vars(value), module)
        for inner in (value, *(getattr(value, name, None) for name in _WRAPPED_AS)):
            if isinstance(inner, FunctionType) and inner.__module__ == module:
                yield inner.__qualname__, inner


def _shape(function: FunctionType) -> tuple[object, ...]:
    code = function.__code__
    return code.co_freevars, code.co_flags


_WRAPPED_AS = ("fget", "func", "__func__", "__wrapped__")


class Overlay(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Gives the mutant's source when its module is imported, and leaves the others alone."""

    def __init__(self, mutant: Mutant) -> None:
        self._mutant = mutant

    def find_spec(
        self, fullname: str, path: object = None, target: object = None
    ) -> ModuleSpec | None:
        if fullname != self._mutant.module:
            return None
        return importlib.util.spec_from_loader(fullname, self)

    def exec_module(self, module: ModuleType) -> None:
        exec(compile(self._mutant.source, self._mutant.module, "exec"), module.__dict__)
