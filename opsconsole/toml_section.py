"""Typed reading of one TOML table; every mistake is a sentence that names its key."""

import os
from collections.abc import Callable
from decimal import Decimal
from typing import Any

from django.core.exceptions import ImproperlyConfigured


def mistake(key: str, expected: str, got: object) -> ImproperlyConfigured:
    """The error that stops the start: the key, what was expected and what stands there."""
    return ImproperlyConfigured(f"opsconsole.toml: {key}: expected {expected}; got {got!r}.")


class Section:
    """One table of the file at a dotted path. `done()` refuses names that nobody read."""

    def __init__(self, values: Any, path: str) -> None:
        if not isinstance(values, dict):
            raise mistake(path, "a table", values)
        self.values, self.path = values, path
        self._read: set[str] = set()

    def key(self, name: str) -> str:
        """The full dotted name of a member."""
        return f"{self.path}.{name}" if self.path else name

    def _get(self, name: str, default: Any, kinds: tuple[type, ...], expected: str) -> Any:
        self._read.add(name)
        if name not in self.values:
            if default is ...:
                raise mistake(self.key(name), expected, "nothing")
            return default
        value = self.values[name]
        if not isinstance(value, kinds) or (isinstance(value, bool) and bool not in kinds):
            raise mistake(self.key(name), expected, value)
        return value

    def text(self, name: str, default: Any = ...) -> str:
        """A string, or {env = "NAME", default = "…"} read from the environment."""
        value = self._get(name, default, (str, dict), "text")
        return self._from_environment(name, value) if isinstance(value, dict) else value

    def number(self, name: str, default: Any = ..., *, at_least: int = 0) -> Any:
        """A whole number, at least `at_least`, or the default as it is."""
        value = self._get(name, default, (int,), f"a whole number, at least {at_least}")
        if value is not None and value < at_least:
            raise mistake(self.key(name), f"a whole number, at least {at_least}", value)
        return value

    def flag(self, name: str, default: Any = ...) -> bool:
        """true or false."""
        return bool(self._get(name, default, (bool,), "true or false"))

    def decimal(self, name: str, default: Any = ...) -> Decimal | None:
        """An exact decimal, written as text or as a TOML number (read without floats)."""
        value = self._get(name, default, (str, int, Decimal), 'a decimal such as "100.00"')
        if value is None:
            return None
        try:
            return Decimal(value)
        except ArithmeticError:
            raise mistake(self.key(name), 'a decimal such as "100.00"', value) from None

    def texts(self, name: str, default: Any = ...) -> tuple[str, ...]:
        """A list of strings."""
        value = self._get(name, default, (list, tuple), "a list of text")
        if not all(isinstance(item, str) for item in value):
            raise mistake(self.key(name), "a list of text", value)
        return tuple(value)

    def scalars(self, name: str, default: Any = ...) -> tuple[str | bool | int, ...]:
        """A list of texts, whole numbers and truth values, as they stand."""
        expected = "a list of text, whole numbers, true or false"
        value = self._get(name, default, (list, tuple), expected)
        if not all(isinstance(item, str | bool | int) for item in value):
            raise mistake(self.key(name), expected, value)
        return tuple(value)

    def table(self, name: str, default: Any = ...) -> dict[str, Any]:
        """A table as it stands, for what another reader judges (a JSON Schema)."""
        return dict(self._get(name, default, (dict,), "a table"))

    def sections(self, name: str, read: Callable[[str, "Section"], Any]) -> dict[str, Any]:
        """A table of tables: `read` is called with each name and its section."""
        found = self.table(name, {})
        return {
            inner: read(inner, Section(values, f'{self.key(name)}."{inner}"'))
            for inner, values in found.items()
        }

    def list_of_sections(self, name: str) -> list["Section"]:
        """An array of tables."""
        rows = self._get(name, [], (list,), "an array of tables")
        return [Section(row, f"{self.key(name)}[{n}]") for n, row in enumerate(rows)]

    def done(self) -> None:
        """Refuse a name that is not known here: a misspelt option must never be ignored."""
        unknown = sorted(set(self.values) - self._read)
        if unknown:
            known = ", ".join(sorted(self._read))
            raise mistake(self.key(unknown[0]), f"one of {known}", "a name that is not known here")

    def _from_environment(self, name: str, value: dict[str, Any]) -> str:
        section = Section(value, self.key(name))
        variable = section.text("env")
        fallback = section.text("default", None)
        section.done()
        found = os.environ.get(variable) or fallback
        if found is None:
            raise mistake(self.key(name), f"the environment variable {variable}", "nothing")
        return found
