"""Accounts of tables, in files and in memory."""

import json
import os
import signal
import subprocess
import sysconfig
import threading
import unittest
from pathlib import Path
from tempfile import TemporaryDirectory

import pandas
import pyarrow.parquet
from cutover import TableError, assemble

FIXTURES = Path(__file__).parents[3] / "fixtures" / "accounts" / "valid"
# There are no tables for the envelope of the business.
ACCOUNTS = [path for path in sorted(FIXTURES.glob("*.json")) if path.stem != "business"]
PROGRAM = Path(sysconfig.get_path("scripts")) / "cutover-client"


def run(*arguments):
    return subprocess.run([PROGRAM, *arguments], check=True, capture_output=True, stdin=subprocess.DEVNULL).stdout


class Assemble(unittest.TestCase):
    def setUp(self):
        folder = TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def write(self, name, text):
        path = self.folder / name
        path.write_text(text)
        return path

    def in_memory(self):
        run("disassemble", *ACCOUNTS, "--to", self.folder / "parquet", "--format", "parquet")
        paths = sorted((self.folder / "parquet").glob("*.parquet"))
        return {path.stem: pyarrow.parquet.read_table(path) for path in paths}

    def test_files_are_assembled_as_the_program_does(self):
        run("disassemble", *ACCOUNTS, "--to", self.folder)
        expected = [json.loads(line) for line in run("assemble", self.folder).splitlines()]
        self.assertEqual(len(expected), len(ACCOUNTS))
        self.assertEqual(list(assemble(self.folder)), expected)
        self.assertEqual(list(assemble(self.folder.glob("*.csv"))), expected)

    def test_tables_in_memory_give_the_same_accounts_as_files(self):
        tables = self.in_memory()
        expected = list(assemble(self.folder / "parquet"))
        self.assertEqual(list(assemble(tables)), expected)
        readers = {name: table.to_reader() for name, table in tables.items()}
        self.assertEqual(list(assemble(readers)), expected)

    def test_data_frames_keep_their_digits(self):
        accounts = pandas.DataFrame({"external_account_number": ["A-1"], "first_name": ["x"]})
        customers = pandas.DataFrame({"external_account_number": ["A-1"], "email": [1234.0]})
        found = []
        (account,) = assemble(
            {"accounts": accounts, "customers": customers}, on_finding=found.append
        )
        # A number that was an identifier is seen by its point.
        self.assertEqual(account["customers"][0]["email"], "1234.0")
        self.assertEqual([(f.file, f.line, f.column, f.code) for f in found], [("accounts", 1, "first_name", "unread_column")])

    def test_a_finding_is_raised_with_its_place(self):
        path = self.write("accounts.csv", "external_account_number,colour\nA-1,red\n")
        with self.assertRaises(TableError) as raised:
            list(assemble(path))
        finding = raised.exception.finding
        self.assertEqual((finding.file, finding.line, finding.column), (str(path), 1, "colour"))
        self.assertEqual(str(raised.exception), f"{path}:1:colour: {finding.detail}")
        orphan = self.write("customers.csv", "external_account_number\nA-2\n")
        found = []
        list(assemble([orphan], on_finding=found.append))
        self.assertEqual([(f.code, f.external_account_number) for f in found], [("orphan_row", "A-2")])

    def test_a_mapping_is_a_file_or_a_dict(self):
        path = self.write("accounts.csv", "number\nA-1\n")
        of = {"tables": {"accounts": {"columns": {"external_account_number": "number"}}}}
        toml = self.write("mapping.toml", '[tables.accounts.columns]\nexternal_account_number = "number"\n')
        expected = list(assemble(path, of))
        self.assertEqual(expected[0]["external_account_number"], "A-1")
        self.assertEqual(list(assemble(path, toml)), expected)
        self.assertRaisesRegex(ValueError, 'no table "kunden"', assemble, path, {"tables": {"kunden": {}}})

    def test_what_cannot_be_read_is_refused_at_once(self):
        self.assertRaises(FileNotFoundError, assemble, self.folder / "away.csv")
        self.assertRaisesRegex(ValueError, "belongs to no table", assemble, self.write("cats.csv", "a\n"))
        kunden = {"kunden": pandas.DataFrame({"a": ["b"]})}
        self.assertRaisesRegex(ValueError, "^kunden belongs to no table", assemble, kunden)
        self.assertRaisesRegex(TypeError, "no table of Arrow", assemble, {"accounts": [1]})
        self.assertRaisesRegex(ValueError, "no name of a table", assemble, {"../accounts": pandas.DataFrame()})

    def test_an_iterator_that_is_left_ends_its_thread(self):
        rows = "".join(f"A-{number}\n" for number in range(1_000))
        accounts = assemble(self.write("accounts.csv", "external_account_number\n" + rows))
        next(accounts)
        accounts.close()
        self.assertRaises(StopIteration, next, accounts)

    def test_ctrl_c_ends_the_wait_for_an_account(self):
        # A shell script starts what is in the background with the signal ignored, and so Python would leave it.
        before = signal.signal(signal.SIGINT, signal.default_int_handler)
        self.addCleanup(signal.signal, signal.SIGINT, before)
        pipe = self.folder / "accounts.csv"
        os.mkfifo(pipe)
        accounts = assemble(pipe)
        waits, ended = threading.Event(), threading.Event()

        def interrupt():
            waits.wait()
            # Opening waits for the reader. While it is open, the first account cannot come.
            with open(pipe, "w"):
                os.kill(os.getpid(), signal.SIGINT)
                # Without an end, a wait that nothing interrupts would hang the tests.
                ended.wait(300)

        writer = threading.Thread(target=interrupt, daemon=True)
        writer.start()
        with self.assertRaises(KeyboardInterrupt):
            waits.set()
            next(accounts)
        ended.set()
        writer.join()


if __name__ == "__main__":
    unittest.main()
