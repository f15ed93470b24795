#!/usr/bin/env python3
"""Keeps a copy of the accounts of a supplier in an SQLite file. Standard library only.

    CUTOVER_KEY=… python3 consumer.py --url http://localhost:8080 --supplier ACME_ENERGY --database accounts.db

The key has the role `reader`. The program may be stopped and killed at any time: it continues where it stopped, and
every event has its effect once, because the effect and the position are written in one transaction.

A first load streams all imported accounts and ends with the position of the feed from which nothing is missed. Each
account may hold more than the events so far say; events that come later find it as it is, and reading it again changes
nothing. `--export DIR` reads a folder of `cutover export --format ndjson` instead, `--from-oldest-event` leaves the load
out.
"""

import argparse
import contextlib
import hashlib
import http.client
import json
import os
import pathlib
import random
import sqlite3
import sys
import time
import urllib.error
import urllib.parse
import urllib.request

SCHEMA = """
CREATE TABLE IF NOT EXISTS accounts (
    number TEXT PRIMARY KEY,
    service_account_number TEXT NOT NULL,
    account TEXT NOT NULL,            -- JSON, digits as the supplier sent them
    ledger_balance TEXT,              -- of the first ledger: a decimal as text, never a float
    load INTEGER NOT NULL             -- the load that saw it last; the current one if it came by an event
);
CREATE TABLE IF NOT EXISTS effects (  -- how many events of each type took effect, since the copy was begun
    type TEXT PRIMARY KEY,
    count INTEGER NOT NULL
);
CREATE TABLE IF NOT EXISTS state (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    position TEXT,                    -- events up to here took effect; null = none
    load INTEGER NOT NULL,            -- number of the current load
    cursor TEXT,                      -- the last account of an unfinished load
    loaded INTEGER NOT NULL           -- 1 = events are followed, 0 = a load is to be finished first
);
INSERT OR IGNORE INTO state VALUES (1, NULL, 1, NULL, 0);
"""

# After these the account is there, or has changed: it is read again.
CHANGES = {
    "account_import_process.processed",
    "account.notes_added",
    "account.transactions_added",
    "account.historical_statements_added",
    "account.payment_instruction_added",
    "account.billed",
}
# After these the account is gone.
REMOVALS = {"account.erased", "account_import_process.undone"}

# Accounts in a transaction of a load.
BATCH = 200


class Expired(Exception):
    """Events after our position were removed before we read them (410)."""


class Interrupted(OSError):
    """A stream ended without its last line."""


class Service:
    """The reading routes of the service, with tokens and retries."""

    def __init__(self, url, key):
        self.url, self.key, self.token = url.rstrip("/"), key, None

    def get(self, path, read=json.load):
        """Returns what `read` makes of the response to a GET; None for 404.

        Waits and tries again while the service cannot answer or the connection breaks. `path` is a function, as
        another attempt may go on elsewhere.
        """
        renewed, failures = False, 0
        while True:
            wait = None
            try:
                if self.token is None:
                    self.token = self.sign_in()
                request = urllib.request.Request(self.url + path(), headers={"Authorization": f"Token {self.token}"})
                with urllib.request.urlopen(request, timeout=60) as response:
                    return read(response)
            except urllib.error.HTTPError as error:
                with error:
                    if error.code == 404:
                        return None
                    if error.code == 410:
                        raise Expired from None
                    if error.code == 401 and not renewed:
                        # A token is valid for an hour.
                        self.token, renewed = None, True
                        continue
                    if error.code != 429 and error.code < 500:
                        raise SystemExit(f"{path()}: {error.code} {error.read(1000).decode(errors='replace')}")
                    wait = error.headers.get("Retry-After")
            except (OSError, http.client.HTTPException, json.JSONDecodeError):
                # No connection, or one that broke.
                pass
            failures += 1
            pause(failures, wait)

    def sign_in(self):
        """Exchanges the key for a token."""
        query = "mutation ($input: ObtainTokenInput!) { obtainToken(input: $input) { token } }"
        body = json.dumps({"query": query, "variables": {"input": {"apiKey": self.key}}}).encode()
        headers = {"Content-Type": "application/json"}
        request = urllib.request.Request(self.url + "/v1/graphql/", body, headers)
        with urllib.request.urlopen(request, timeout=60) as response:
            answer = json.load(response)
        if not answer.get("data") or not answer["data"].get("obtainToken"):
            raise SystemExit("the service refuses the key")
        return answer["data"]["obtainToken"]["token"]


def pause(failures, retry_after=None):
    """Waits as long as the service asks, or twice as long after each failure, a minute at most, with jitter."""
    longest = min(60.0, 0.25 * 2**failures)
    asked = float(retry_after) if retry_after and retry_after.isdigit() else 0.0
    time.sleep(max(asked, random.uniform(longest / 2, longest)))


def next_position(response):
    """The position that a page was read to, from its `Link`."""
    query = urllib.parse.urlsplit(response.headers["Link"].partition(">")[0]).query
    return urllib.parse.parse_qs(query)["after"][0]


class Rows:
    """The rows of a file of an export, whose accounts are in the same order in every table."""

    def __init__(self, folder, part):
        self.part, self.hash = part, hashlib.sha256()
        self.file = open(folder / part["file"], "rb")
        self.advance()

    def advance(self):
        line = self.file.readline()
        self.hash.update(line)
        self.row = json.loads(line) if line else None
        if not line and self.hash.hexdigest() != self.part["sha256"]:
            raise SystemExit(f"{self.part['file']} is not the file that the manifest lists")

    def of(self, number):
        """The rows of an account."""
        while self.row is not None and self.row["external_account_number"] == number:
            yield self.row
            self.advance()


class Export:
    """The files of `cutover export --format ndjson`."""

    def __init__(self, folder, supplier):
        self.folder = pathlib.Path(folder)
        try:
            self.manifest = json.loads((self.folder / "manifest.json").read_bytes())
            self.tables = json.loads((self.folder / "dictionary.json").read_bytes())
        except FileNotFoundError as error:
            raise SystemExit(f"{folder}: the export is incomplete: {error.filename} is missing") from None
        whole = {"supplier": supplier, "format": "ndjson", "after": None}
        for name, expected in whole.items():
            if self.manifest[name] != expected:
                raise SystemExit(f"{folder}: {name} is {self.manifest[name]!r}, expected {expected!r}")

    def parts(self):
        """Yields the files of each part by the names of their tables."""
        files = {}
        for table in self.manifest["tables"]:
            for part in table["parts"]:
                files.setdefault(pathlib.Path(part["file"]).name, {})[table["table"]] = part
        yield from (files[name] for name in sorted(files))

    def accounts(self, part):
        """Yields the accounts of a part, an account at a time."""
        rows = {table: Rows(self.folder, file) for table, file in part.items()}
        with contextlib.ExitStack() as opened:
            for reader in rows.values():
                opened.enter_context(reader.file)
            while (row := rows["accounts"].row) is not None:
                yield self.account(rows, row["external_account_number"])

    def account(self, rows, number):
        """Puts the rows of an account together: each becomes an item of a list of the row that its keys lead to."""
        objects = {}
        for table in self.tables:
            for row in rows[table["table"]].of(number) if table["table"] in rows else ():
                item, place = self.item(table, row)
                if table["parent"]:
                    *around, member = row.get("list", table["lists"][0]).split(".")
                    own = 2 if "list" in row else 1
                    above = objects[place[:-own]]
                    for name in around:
                        above = above.setdefault(name, {})
                    above.setdefault(member, []).append(item)
                objects[place] = item
        return objects[()]

    @staticmethod
    def item(table, row):
        """Returns the object of a row, and the lists and positions that lead to it."""
        item, place = {}, []
        for column in table["columns"]:
            name = column["name"]
            if name not in row:
                continue
            if column["key"]:
                if name.endswith(("list", "position")):
                    place.append(row[name])
                continue
            *around, member = name.split(".")
            target = item
            for outer in around:
                target = target.setdefault(outer, {})
            is_json = column["type"] == "json" and row[name] is not None
            target[member] = json.loads(row[name]) if is_json else row[name]
        return item, tuple(place)


class Consumer:
    """The copy of a supplier's accounts."""

    def __init__(self, service, database, supplier, export=None):
        self.service, self.supplier, self.export = service, supplier, export
        self.accounts = f"/v2/data-import/imported-accounts/{urllib.parse.quote(supplier, safe='')}/"
        self.database = sqlite3.connect(database, isolation_level=None)
        self.database.executescript("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;" + SCHEMA)

    @contextlib.contextmanager
    def transaction(self):
        """Commits at the end, or changes nothing."""
        self.database.execute("BEGIN IMMEDIATE")
        try:
            yield self.database
        except BaseException:
            self.database.execute("ROLLBACK")
            raise
        self.database.execute("COMMIT")

    def state(self, column):
        return self.database.execute(f"SELECT {column} FROM state").fetchone()[0]

    def run(self, until_idle):
        """Loads if that is needed, then follows the feed, forever or until there is no event."""
        while True:
            try:
                if not self.state("loaded"):
                    # An export that was left behind by the feed does not help.
                    if self.export and self.state("load") == 1:
                        self.load_export()
                    else:
                        self.load()
                if not self.follow(0 if until_idle else 30) and until_idle:
                    return
            except Expired:
                # We were away for longer than events are kept: begin again. Accounts stay until they are loaded anew.
                with self.transaction() as database:
                    database.execute("UPDATE state SET position = NULL, cursor = NULL, load = load + 1, loaded = 0")

    def skip_load(self):
        """Begins with the oldest event that is kept, unless the copy was begun already."""
        with self.transaction() as database:
            database.execute("UPDATE state SET loaded = 1 WHERE load = 1 AND cursor IS NULL")

    def load(self):
        """Streams all imported accounts, from the cursor of an interrupted load on."""

        def path():
            cursor = self.state("cursor")
            return self.accounts + (f"?after={urllib.parse.quote(cursor, safe='')}" if cursor else "")

        if self.service.get(path, self.load_lines) is None:
            raise SystemExit(f"{self.supplier}: the service knows no such supplier, or cannot stream accounts")

    def load_export(self):
        """Stores the accounts of an export. If that is interrupted, it begins again."""
        for part in self.export.parts():
            with self.transaction():
                for account in self.export.accounts(part):
                    self.store(account)
        self.finish_load(self.export.manifest["events_after"])

    def load_lines(self, lines):
        """Stores the accounts of a stream. Returns true at its last line."""
        batch = []
        for line in lines:
            if not line.endswith(b"\n"):
                break
            item = json.loads(line)
            if item.get("end"):
                self.store_batch(batch)
                self.finish_load(item["events_after"])
                return True
            batch.append(item)
            if len(batch) == BATCH:
                self.store_batch(batch)
                batch = []
        # What is stored is not read again.
        self.store_batch(batch)
        raise Interrupted

    def store_batch(self, batch):
        if not batch:
            return
        with self.transaction() as database:
            for item in batch:
                self.store(item["account"])
            database.execute("UPDATE state SET cursor = ?", (batch[-1]["cursor"],))

    def finish_load(self, position):
        """Removes what the load did not see: it was erased meanwhile. From here on events are followed."""
        with self.transaction() as database:
            database.execute("DELETE FROM accounts WHERE load < (SELECT load FROM state)")
            database.execute("UPDATE state SET position = ?, cursor = NULL, loaded = 1", (position,))

    def follow(self, wait):
        """Applies a page of events. Returns False if there is no further one."""
        query = {"import_supplier": self.supplier, "wait": wait}
        position = self.state("position")
        if position is not None:
            query["after"] = position
        path = "/v2/data-import/events/?" + urllib.parse.urlencode(query)
        page = self.service.get(lambda: path, lambda response: (json.load(response), next_position(response)))
        if page is None:
            raise SystemExit("the service has no feed of events")
        events, reached = page
        for event in events:
            self.apply(event)
        if reached != self.state("position"):
            # The service passed over events of other suppliers, perhaps without finding one of ours.
            with self.transaction() as database:
                database.execute("UPDATE state SET position = ?", (reached,))
        return bool(events) or reached != position

    def apply(self, event):
        """Gives an event its effect. The account is read before the transaction, which then takes no time."""
        account = self.read(event["external_account_number"]) if event["type"] in CHANGES else None
        with self.transaction() as database:
            if account is not None:
                self.store(account)
            if event["type"] in REMOVALS:
                number = event["external_account_number"]
                database.execute("DELETE FROM accounts WHERE number = ?", (number,))
            # An effect that must happen once, like a letter to the customer, belongs here, as a row of a table of
            # things to do. Types that we do not know have no other effect.
            database.execute(
                "INSERT INTO effects VALUES (?, 1) ON CONFLICT DO UPDATE SET count = count + 1", (event["type"],)
            )
            database.execute("UPDATE state SET position = ?", (event["id"],))

    def read(self, number):
        """Returns an account as it is now; None if it was erased since, which a later event says."""
        path = self.accounts + urllib.parse.quote(number, safe="") + "/"
        return self.service.get(lambda: path)

    def store(self, account):
        ledgers = account.get("ledgers") or [{}]
        balance = ledgers[0].get("ledger_balance")
        row = (
            account["external_account_number"],
            account["service_account_number"],
            json.dumps(account, ensure_ascii=False),
            None if balance is None else str(balance),
        )
        self.database.execute(
            "INSERT OR REPLACE INTO accounts SELECT ?, ?, ?, ?, load FROM state",
            row,
        )


def main():
    options = argparse.ArgumentParser(description="Keeps a copy of a supplier's accounts in an SQLite file.")
    options.add_argument("--url", required=True)
    options.add_argument("--supplier", required=True)
    options.add_argument("--database", required=True)
    options.add_argument("--export", metavar="DIR", help="first load from a folder of `cutover export --format ndjson`")
    options.add_argument("--from-oldest-event", action="store_true", help="follow events without a first load")
    options.add_argument("--until-idle", action="store_true", help="stop when there is no further event")
    given = options.parse_args()
    export = Export(given.export, given.supplier) if given.export else None
    consumer = Consumer(Service(given.url, os.environ["CUTOVER_KEY"]), given.database, given.supplier, export)
    if given.from_oldest_event:
        consumer.skip_load()
    consumer.run(given.until_idle)


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        sys.exit(130)
