-- Runs: named stretches of a supplier's work, with the last outcome of each account that ended in them.
CREATE TABLE runs (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    supplier_id INTEGER NOT NULL REFERENCES suppliers (id),
    name TEXT NOT NULL,
    started_at INTEGER NOT NULL,
    ended_at INTEGER, -- null: open
    UNIQUE (supplier_id, name)
) STRICT;
CREATE INDEX runs_of_supplier ON runs (supplier_id, id);
CREATE UNIQUE INDEX open_runs ON runs (supplier_id) WHERE ended_at IS NULL;

-- The keys of processes keep the order of accounts, which is the same in every run.
CREATE TABLE run_outcomes (
    run_id INTEGER NOT NULL REFERENCES runs (id),
    process_id INTEGER NOT NULL,
    state TEXT NOT NULL,
    ended_at INTEGER NOT NULL,
    content BLOB, -- the hash of the payload; null: it could not be read
    causes TEXT, -- as processes.error_causes
    accounts INTEGER NOT NULL, -- 1: passed, with these totals
    ledger_balance TEXT NOT NULL,
    readings INTEGER NOT NULL,
    transactions INTEGER NOT NULL,
    documents INTEGER NOT NULL,
    PRIMARY KEY (run_id, process_id)
) STRICT, WITHOUT ROWID;

-- Figures of the outcomes of a run, in shards: each transaction changes one that no other is changing. The sum of all
-- shards counts.
CREATE TABLE run_figures (
    run_id INTEGER NOT NULL REFERENCES runs (id),
    shard INTEGER NOT NULL,
    figures TEXT NOT NULL,
    PRIMARY KEY (run_id, shard)
) STRICT, WITHOUT ROWID;

-- The waves of suppliers, for undoing one that was released since.
CREATE TABLE supplier_waves (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    supplier_id INTEGER NOT NULL REFERENCES suppliers (id),
    wave INTEGER NOT NULL, -- from 1; 0: waves ended
    began_at INTEGER NOT NULL
) STRICT;
CREATE INDEX supplier_waves_of_supplier ON supplier_waves (supplier_id, id);

-- Of an undo: of the accounts that a run imported, or a wave.
ALTER TABLE jobs ADD COLUMN run TEXT;
ALTER TABLE jobs ADD COLUMN wave INTEGER;
ALTER TABLE jobs ADD COLUMN imported_until INTEGER;
