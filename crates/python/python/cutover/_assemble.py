"""Makes accounts of tables."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple, Optional, Union

from ._frames import write
from ._native import Accounts

PathLike = Union[str, "os.PathLike[str]"]


class TableFinding(NamedTuple):
    """What was lost or is in doubt on the way from tables to accounts."""

    file: str
    """The file, or the name of a table in memory."""
    line: Optional[int]
    """The line on which the row begins, from 1 on; in Parquet and in memory the number of the row."""
    column: Optional[str]
    """The column as the table calls it."""
    table: Optional[str]
    """The table to which it belongs."""
    external_account_number: Optional[str]
    """The account of the row."""
    code: str
    """A word for programs, such as `orphan_row`."""
    detail: str
    """Text for people."""

    def __str__(self) -> str:
        place = ":".join(str(part) for part in (self.file, self.line, self.column) if part is not None)
        return f"{place}: {self.detail}"


class TableError(ValueError):
    """A finding that `assemble` was not told to hand on."""

    def __init__(self, finding: TableFinding) -> None:
        super().__init__(str(finding))
        self.finding = finding


def assemble(
    tables: Union[PathLike, Iterable[PathLike], Mapping[str, Any]],
    mapping: Union[PathLike, Mapping[str, Any], None] = None,
    *,
    on_finding: Optional[Callable[[TableFinding], object]] = None,
) -> Iterator[dict[str, Any]]:
    """Makes accounts of tables, one after another, in bounded memory.

    `tables` are files or folders, as the command `assemble` takes them, or tables in memory by the names of
    their tables: whatever has `__arrow_c_stream__`, such as data frames of pandas and Polars and tables of Arrow.
    Tables in memory need the package `pyarrow`. `mapping` is the path of a mapping file, or its content.

    A finding is something that was lost or is in doubt. The first one is raised as `TableError`, unless
    `on_finding` takes them.
    """
    with ExitStack() as stack:
        names: dict[str, str] = {}
        if isinstance(tables, Mapping):
            folder = stack.enter_context(TemporaryDirectory(prefix="cutover-"))
            names = {write(Path(folder), name, table): name for name, table in tables.items()}
            paths = list(names)
        elif isinstance(tables, (str, os.PathLike)):
            paths = [os.fspath(tables)]
        else:
            paths = [os.fspath(path) for path in tables]
        try:
            made = _begin(paths, mapping)
        except ValueError as error:
            raise ValueError(_renamed(str(error), names)) from None
        return _accounts(made, names, on_finding or _raise, stack.pop_all())


def _begin(paths: list[str], mapping: Union[PathLike, Mapping[str, Any], None]) -> Accounts:
    if mapping is None:
        return Accounts(paths, None, None)
    if isinstance(mapping, Mapping):
        return Accounts(paths, None, json.dumps(dict(mapping)))
    return Accounts(paths, os.fspath(mapping), None)


def _accounts(
    made: Accounts,
    names: dict[str, str],
    on_finding: Callable[[TableFinding], object],
    until_end: ExitStack,
) -> Iterator[dict[str, Any]]:
    with until_end:
        while (found := made.next()) is not None:
            if isinstance(found, bytes):
                yield json.loads(found)
            else:
                on_finding(_named(TableFinding(*found), names))


def _named(finding: TableFinding, names: dict[str, str]) -> TableFinding:
    return finding._replace(file=_renamed(finding.file, names), detail=_renamed(finding.detail, names))


def _renamed(text: str, names: dict[str, str]) -> str:
    """The text with the names of tables in place of those of temporary files."""
    for path, name in names.items():
        text = text.replace(path, name)
    return text


def _raise(finding: TableFinding) -> None:
    raise TableError(finding)
