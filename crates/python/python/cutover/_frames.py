"""Tables in memory, written as Parquet: so they are read as the command `assemble` reads files."""

from __future__ import annotations

from pathlib import Path
from typing import Any


def write(folder: Path, name: str, table: Any) -> str:
    """Writes a table. Returns the path of its file."""
    if not hasattr(table, "__arrow_c_stream__"):
        raise TypeError(f"the table {name!r} is no table of Arrow: {type(table).__name__} has no __arrow_c_stream__")
    if Path(name).name != name:
        raise ValueError(f"{name!r} is no name of a table")
    try:
        import pyarrow  # type: ignore[import-not-found, unused-ignore]
        import pyarrow.parquet  # type: ignore[import-not-found, unused-ignore]
    except ImportError as error:
        raise ImportError("tables in memory need pyarrow: pip install 'cutover-client[arrow]'") from error
    path = str(folder / f"{name}.parquet")
    reader = pyarrow.RecordBatchReader.from_stream(table)
    # Times with nanoseconds are refused: the contract has microseconds.
    with pyarrow.parquet.ParquetWriter(path, reader.schema, compression="zstd", coerce_timestamps="us") as writer:
        for batch in reader:
            writer.write_batch(batch)
    return path
