-- Figures that are kept, so that asking how a migration stands costs the same whatever it has come to: how many
-- processes stand in each state, and in which minute they ended.
--
-- The tables are those of PostgreSQL, where many write at the same time and leave changes to be folded. Here one
-- writes at a time: triggers count at once.

CREATE TABLE process_counts (
    supplier_id INTEGER NOT NULL REFERENCES suppliers (id),
    state TEXT NOT NULL,
    error_code TEXT NOT NULL, -- '': none
    processes INTEGER NOT NULL,
    PRIMARY KEY (supplier_id, state, error_code)
) STRICT, WITHOUT ROWID;

-- Of those that were imported or rehearsed, or failed: the minute of their last step, and the times of the first and the
-- last such step in it, also of processes that took another step since.
CREATE TABLE process_minutes (
    supplier_id INTEGER NOT NULL REFERENCES suppliers (id),
    minute INTEGER NOT NULL,
    state TEXT NOT NULL,
    processes INTEGER NOT NULL,
    first_at INTEGER,
    last_at INTEGER,
    PRIMARY KEY (supplier_id, minute, state)
) STRICT, WITHOUT ROWID;

-- How many accounts have each row of process_causes.
CREATE TABLE cause_counts (
    supplier_id INTEGER NOT NULL REFERENCES suppliers (id),
    level TEXT NOT NULL,
    code TEXT NOT NULL,
    attr TEXT NOT NULL,
    accounts INTEGER NOT NULL,
    PRIMARY KEY (supplier_id, level, code, attr)
) STRICT, WITHOUT ROWID;

CREATE TABLE process_changes (
    id INTEGER PRIMARY KEY,
    supplier_id INTEGER NOT NULL,
    state TEXT NOT NULL,
    error_code TEXT NOT NULL,
    minute INTEGER, -- null: in no minute of process_minutes
    change INTEGER NOT NULL,
    first_at INTEGER,
    last_at INTEGER
) STRICT;
CREATE INDEX process_changes_of_supplier ON process_changes (supplier_id, id);

CREATE TABLE cause_changes (
    id INTEGER PRIMARY KEY,
    supplier_id INTEGER NOT NULL,
    level TEXT NOT NULL,
    code TEXT NOT NULL,
    attr TEXT NOT NULL,
    change INTEGER NOT NULL
) STRICT;
CREATE INDEX cause_changes_of_supplier ON cause_changes (supplier_id, id);

CREATE TRIGGER processes_inserted AFTER INSERT ON processes BEGIN
    INSERT INTO process_counts VALUES (NEW.supplier_id, NEW.state, coalesce(NEW.error_code, ''), 1)
        ON CONFLICT (supplier_id, state, error_code) DO UPDATE SET processes = processes + 1;
    INSERT INTO process_minutes
        SELECT NEW.supplier_id, NEW.modified_at / 60000000 * 60000000, NEW.state, 1, NEW.modified_at, NEW.modified_at
        WHERE NEW.state IN ('PROCESSED', 'DRY_RUN_SUCCEEDED', 'ERRORED', 'DRY_RUN_ERRORED')
        ON CONFLICT (supplier_id, minute, state) DO UPDATE SET processes = processes + 1,
            first_at = min(first_at, excluded.first_at), last_at = max(last_at, excluded.last_at);
END;

CREATE TRIGGER processes_updated AFTER UPDATE OF supplier_id, state, error_code, modified_at ON processes
WHEN (OLD.supplier_id, OLD.state, OLD.error_code, OLD.modified_at)
    IS NOT (NEW.supplier_id, NEW.state, NEW.error_code, NEW.modified_at) BEGIN
    UPDATE process_counts SET processes = processes - 1
        WHERE (supplier_id, state, error_code) = (OLD.supplier_id, OLD.state, coalesce(OLD.error_code, ''));
    INSERT INTO process_counts VALUES (NEW.supplier_id, NEW.state, coalesce(NEW.error_code, ''), 1)
        ON CONFLICT (supplier_id, state, error_code) DO UPDATE SET processes = processes + 1;
    UPDATE process_minutes SET processes = processes - 1
        WHERE (supplier_id, minute, state) = (OLD.supplier_id, OLD.modified_at / 60000000 * 60000000, OLD.state);
    INSERT INTO process_minutes
        SELECT NEW.supplier_id, NEW.modified_at / 60000000 * 60000000, NEW.state, 1, NEW.modified_at, NEW.modified_at
        WHERE NEW.state IN ('PROCESSED', 'DRY_RUN_SUCCEEDED', 'ERRORED', 'DRY_RUN_ERRORED')
        ON CONFLICT (supplier_id, minute, state) DO UPDATE SET processes = processes + 1,
            first_at = min(first_at, excluded.first_at), last_at = max(last_at, excluded.last_at);
END;

CREATE TRIGGER processes_deleted AFTER DELETE ON processes BEGIN
    UPDATE process_counts SET processes = processes - 1
        WHERE (supplier_id, state, error_code) = (OLD.supplier_id, OLD.state, coalesce(OLD.error_code, ''));
    UPDATE process_minutes SET processes = processes - 1
        WHERE (supplier_id, minute, state) = (OLD.supplier_id, OLD.modified_at / 60000000 * 60000000, OLD.state);
END;

CREATE TRIGGER process_causes_inserted AFTER INSERT ON process_causes BEGIN
    INSERT INTO cause_counts VALUES (NEW.supplier_id, NEW.level, NEW.code, NEW.attr, 1)
        ON CONFLICT (supplier_id, level, code, attr) DO UPDATE SET accounts = accounts + 1;
END;

CREATE TRIGGER process_causes_deleted AFTER DELETE ON process_causes BEGIN
    UPDATE cause_counts SET accounts = accounts - 1
        WHERE (supplier_id, level, code, attr) = (OLD.supplier_id, OLD.level, OLD.code, OLD.attr);
END;

CREATE TRIGGER processes_inserted_with_causes AFTER INSERT ON processes
WHEN coalesce(NEW.error_causes, NEW.warning_causes) IS NOT NULL BEGIN
    INSERT INTO process_causes (process_id, level, code, attr, supplier_id, created_at, rank)
        SELECT NEW.id, 'error', value ->> 0, value ->> 1, NEW.supplier_id, NEW.created_at, value ->> 2
        FROM json_each(NEW.error_causes)
        UNION ALL
        SELECT NEW.id, 'warning', value ->> 0, value ->> 1, NEW.supplier_id, NEW.created_at, value ->> 2
        FROM json_each(NEW.warning_causes);
END;

CREATE TRIGGER processes_updated_with_causes AFTER UPDATE OF error_causes, warning_causes ON processes
WHEN (OLD.error_causes, OLD.warning_causes) IS NOT (NEW.error_causes, NEW.warning_causes) BEGIN
    DELETE FROM process_causes WHERE process_id = OLD.id;
    INSERT INTO process_causes (process_id, level, code, attr, supplier_id, created_at, rank)
        SELECT NEW.id, 'error', value ->> 0, value ->> 1, NEW.supplier_id, NEW.created_at, value ->> 2
        FROM json_each(NEW.error_causes)
        UNION ALL
        SELECT NEW.id, 'warning', value ->> 0, value ->> 1, NEW.supplier_id, NEW.created_at, value ->> 2
        FROM json_each(NEW.warning_causes);
END;

CREATE TRIGGER processes_deleted_with_causes AFTER DELETE ON processes
WHEN coalesce(OLD.error_causes, OLD.warning_causes) IS NOT NULL BEGIN
    DELETE FROM process_causes WHERE process_id = OLD.id;
END;

-- What imported accounts come to: their number, the sum of their ledgers' balances, rows of theirs. Like the figures of
-- processes it is what was folded and the changes since. Sums are made by the program, exactly, as everything that is
-- done with money.

CREATE TABLE totals (
    supplier_id INTEGER PRIMARY KEY REFERENCES suppliers (id),
    accounts INTEGER NOT NULL,
    ledger_balance TEXT NOT NULL,
    readings INTEGER NOT NULL,
    transactions INTEGER NOT NULL,
    documents INTEGER NOT NULL
) STRICT;

CREATE TABLE total_changes (
    id INTEGER PRIMARY KEY,
    supplier_id INTEGER NOT NULL,
    accounts INTEGER NOT NULL,
    ledger_balance TEXT NOT NULL,
    readings INTEGER NOT NULL,
    transactions INTEGER NOT NULL,
    documents INTEGER NOT NULL
) STRICT;
CREATE INDEX total_changes_of_supplier ON total_changes (supplier_id, id);

CREATE TABLE folded_changes (
    kind TEXT PRIMARY KEY NOT NULL CHECK (kind IN ('processes', 'causes', 'totals')),
    folded_to INTEGER NOT NULL,
    next_bound INTEGER NOT NULL,
    next_transaction INTEGER NOT NULL
) STRICT;
