"""Checks accounts by the rules of the service, and makes accounts of tables."""

from ._assemble import TableError, TableFinding, assemble
from ._validate import Finding, validate

__all__ = ["Finding", "TableError", "TableFinding", "assemble", "validate"]
