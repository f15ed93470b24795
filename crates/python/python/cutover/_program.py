"""The program `cutover-client`."""

import signal
import sys

from . import _native


def main() -> int:
    """Runs the program with the arguments of the command line. Returns its exit code."""
    # Python's own handler only takes a note until Python code runs again.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    return _native.run(["cutover-client", *sys.argv[1:]])
