"""The parts of the package that are written in Rust."""

from typing import Optional, Union, final

def run(arguments: list[str]) -> int:
    """Runs the program with the arguments of a command line. Returns its exit code."""

@final
class Validator:
    """Checks accounts by one profile, in one time zone."""

    def __new__(cls, profile: Optional[str], time_zone: Optional[str]) -> Validator: ...
    def check(
        self, account: bytes, now: Optional[int]
    ) -> list[tuple[str, str, Optional[str], str, str]]:
        """Returns the findings about an account."""

@final
class Accounts:
    """Makes accounts of tables, in a thread of its own."""

    def __new__(
        cls, paths: list[str], mapping_file: Optional[str], mapping_json: Optional[str]
    ) -> Accounts: ...
    def next(
        self,
    ) -> Union[
        bytes,
        tuple[str, Optional[int], Optional[str], Optional[str], Optional[str], str, str],
        None,
    ]:
        """Returns the next account as JSON, or the parts of the next finding; `None` at the end."""
