"""The program of the wheel."""

import importlib.metadata
import os
import signal
import subprocess
import sys
import sysconfig
import unittest
from pathlib import Path
from tempfile import TemporaryDirectory

FIXTURES = Path(__file__).parents[3] / "fixtures" / "accounts"
PROGRAM = Path(sysconfig.get_path("scripts")) / "cutover-client"


def run(*arguments):
    return subprocess.run(arguments, capture_output=True, text=True, stdin=subprocess.DEVNULL)


class Program(unittest.TestCase):
    def test_it_has_the_version_of_the_wheel(self):
        version = importlib.metadata.version("cutover-client")
        self.assertEqual(run(PROGRAM, "--version").stdout, f"cutover-client {version}\n")
        self.assertEqual(run(sys.executable, "-m", "cutover", "--version").stdout, f"cutover-client {version}\n")

    def test_its_exit_codes_are_those_of_the_program(self):
        now = ["--now", "2026-11-21T02:00:00Z"]
        self.assertEqual(run(PROGRAM, "validate", FIXTURES / "valid", *now).returncode, 0)
        self.assertEqual(run(PROGRAM, "validate", FIXTURES / "faulty", *now).returncode, 1)
        refused = run(PROGRAM, "validate", "--colour")
        self.assertEqual(refused.returncode, 2)
        self.assertIn("Usage: cutover-client validate", refused.stderr)

    def test_it_reads_parquet(self):
        with TemporaryDirectory() as folder:
            tables = Path(folder) / "tables"
            arguments = ["disassemble", FIXTURES / "valid" / "gas.json", "--to", tables, "--format", "parquet"]
            self.assertEqual(run(PROGRAM, *arguments).returncode, 0)
            self.assertEqual(run(PROGRAM, "assemble", tables).returncode, 0)

    def test_ctrl_c_ends_it_as_it_ends_the_program(self):
        with TemporaryDirectory() as folder:
            pipe = Path(folder) / "accounts.ndjson"
            os.mkfifo(pipe)
            arguments = [PROGRAM, "validate", pipe, "--quiet"]
            with subprocess.Popen(arguments, stdout=subprocess.PIPE, text=True) as program:
                # Opening waits for the reader.
                with open(pipe, "w"):
                    program.send_signal(signal.SIGINT)
                    self.assertEqual(program.wait(), 130)


if __name__ == "__main__":
    unittest.main()
