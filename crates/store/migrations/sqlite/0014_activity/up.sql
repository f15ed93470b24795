-- What happened in each minute: how many accounts of a supplier were accepted, imported, failed and so on. A step is counted
-- when it is taken and never again, so what was rehearsed or failed stays when an account is sent once more.
--
-- The tables are those of PostgreSQL, where many write at the same time and leave changes to be folded. Here triggers count
-- at once.

CREATE TABLE activity_minutes (
    supplier_id INTEGER NOT NULL REFERENCES suppliers (id),
    minute INTEGER NOT NULL,
    kind TEXT NOT NULL,
    accounts INTEGER NOT NULL,
    PRIMARY KEY (supplier_id, minute, kind)
) STRICT, WITHOUT ROWID;

CREATE TABLE activity_changes (
    id INTEGER PRIMARY KEY,
    supplier_id INTEGER NOT NULL,
    minute INTEGER NOT NULL,
    kind TEXT NOT NULL,
    change INTEGER NOT NULL
) STRICT;
CREATE INDEX activity_changes_of_supplier ON activity_changes (supplier_id, id);

-- SQLite changes no check of a column. The table has no rows here.
DROP TABLE folded_changes;
CREATE TABLE folded_changes (
    kind TEXT PRIMARY KEY NOT NULL CHECK (kind IN ('processes', 'causes', 'totals', 'activity')),
    folded_to INTEGER NOT NULL,
    next_bound INTEGER NOT NULL,
    next_transaction INTEGER NOT NULL
) STRICT;

CREATE TRIGGER processes_inserted_activity AFTER INSERT ON processes WHEN NEW.state = 'PENDING' BEGIN
    INSERT INTO activity_minutes VALUES (NEW.supplier_id, NEW.modified_at / 60000000 * 60000000, 'accepted', 1)
        ON CONFLICT (supplier_id, minute, kind) DO UPDATE SET accounts = accounts + 1;
END;

CREATE TRIGGER processes_updated_activity AFTER UPDATE OF state ON processes
WHEN OLD.state <> NEW.state AND NEW.state <> 'IN_PROGRESS' AND NOT (OLD.state = 'IN_PROGRESS' AND NEW.state = 'PENDING') BEGIN
    INSERT INTO activity_minutes
        SELECT NEW.supplier_id, NEW.modified_at / 60000000 * 60000000, kind, 1
        FROM (SELECT CASE WHEN NEW.state = 'PROCESSED' THEN 'imported'
            WHEN NEW.state = 'DRY_RUN_SUCCEEDED' THEN 'dry_run_passed'
            WHEN NEW.state = 'ERRORED' THEN 'failed'
            WHEN NEW.state = 'DRY_RUN_ERRORED' THEN 'dry_run_failed'
            WHEN NEW.state = 'CANCELLED' AND OLD.state = 'PROCESSED' THEN 'undone'
            WHEN NEW.state = 'CANCELLED' THEN 'cancelled'
            WHEN NEW.state = 'PENDING' THEN 'queued_again' END AS kind)
        WHERE kind IS NOT NULL
        ON CONFLICT (supplier_id, minute, kind) DO UPDATE SET accounts = accounts + 1;
END;

CREATE TRIGGER refused_creates_inserted_activity AFTER INSERT ON refused_creates BEGIN
    INSERT INTO activity_minutes VALUES (NEW.supplier_id, NEW.refused_at / 60000000 * 60000000, 'refused', 1)
        ON CONFLICT (supplier_id, minute, kind) DO UPDATE SET accounts = accounts + 1;
END;

-- What is known of the time before: the last steps.
INSERT INTO activity_minutes
    SELECT supplier_id, minute, CASE state WHEN 'PROCESSED' THEN 'imported' WHEN 'DRY_RUN_SUCCEEDED' THEN 'dry_run_passed'
        WHEN 'ERRORED' THEN 'failed' ELSE 'dry_run_failed' END, processes
    FROM process_minutes WHERE processes > 0;

-- Holds by the service, after a wave or because of errors. Those by operators are in the audit trail.
CREATE TABLE service_holds (
    id INTEGER PRIMARY KEY,
    supplier_id INTEGER NOT NULL REFERENCES suppliers (id),
    held_at INTEGER NOT NULL,
    held_by TEXT NOT NULL,
    wave INTEGER, -- null: without waves
    ended INTEGER NOT NULL,
    failed INTEGER NOT NULL
) STRICT;
CREATE INDEX service_holds_of_supplier ON service_holds (supplier_id, held_at);

-- What people write into the timeline of a supplier.
CREATE TABLE supplier_notes (
    id INTEGER PRIMARY KEY,
    supplier_id INTEGER NOT NULL REFERENCES suppliers (id),
    written_at INTEGER NOT NULL,
    author TEXT NOT NULL, -- as audit_trail.actor
    body TEXT NOT NULL
) STRICT;
CREATE INDEX supplier_notes_of_supplier ON supplier_notes (supplier_id, written_at);
