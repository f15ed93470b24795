"""How many payloads SQLite writes durably in a second, with 100 rows in each commit, as text or compressed, whichever is
faster: nothing is received, checked or answered.

    sqlite.py ACCOUNTS.ndjson FOLDER SECONDS
"""

import itertools
import pathlib
import sqlite3
import sys
import tempfile
import time

import zstandard

ROWS = 100
TABLES = """
CREATE TABLE payloads (id INTEGER PRIMARY KEY, body);
CREATE TABLE processes (
    id INTEGER PRIMARY KEY, supplier TEXT, number TEXT, state TEXT, payload INTEGER, created_at TEXT,
    UNIQUE (supplier, number)
);
"""


def rate(folder, accounts, stored, seconds):
    with tempfile.TemporaryDirectory(dir=folder) as scratch:
        connection = sqlite3.connect(pathlib.Path(scratch, "limit.db"), isolation_level=None)
        connection.executescript("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;" + TABLES)
        numbers, start = itertools.count(), time.perf_counter()
        while (elapsed := time.perf_counter() - start) < seconds:
            connection.execute("BEGIN IMMEDIATE")
            for number in itertools.islice(numbers, ROWS):
                body = stored(accounts[number % len(accounts)])
                payload = connection.execute("INSERT INTO payloads (body) VALUES (?)", (body,)).lastrowid
                connection.execute(
                    "INSERT INTO processes (supplier, number, state, payload, created_at)"
                    " VALUES ('ACME', ?, 'PENDING', ?, datetime('now'))",
                    (f"A{number}", payload),
                )
            connection.execute("COMMIT")
        connection.close()
        return next(numbers) / elapsed


def main():
    accounts = pathlib.Path(sys.argv[1]).read_text(encoding="utf-8").splitlines()
    compressor = zstandard.ZstdCompressor(level=3)
    ways = [lambda text: text, lambda text: compressor.compress(text.encode())]
    print(max(rate(sys.argv[2], accounts, way, float(sys.argv[3])) for way in ways))


main()
