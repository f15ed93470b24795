-- Rows of accounts by table. Counts are numbers separated by commas, one for each table in the order that the program has
-- them in; an empty one is none, and what is empty at the end is left out.

ALTER TABLE manifests ADD COLUMN counts TEXT; -- null: none are declared
-- Of the accepted payload; null: a version that counted none accepted it.
ALTER TABLE processes ADD COLUMN sent_rows TEXT;
-- With what was added since.
ALTER TABLE accounts ADD COLUMN total_rows TEXT;

-- What processes were sent with and what imported accounts have. Like the figures of processes it is what was folded and the
-- changes since, whose counts apply so many times, below 0 if they were removed.
CREATE TABLE row_counts (
    supplier_id INTEGER NOT NULL REFERENCES suppliers (id),
    is_sent INTEGER NOT NULL, -- 0: imported
    counts TEXT NOT NULL,
    PRIMARY KEY (supplier_id, is_sent)
) STRICT, WITHOUT ROWID;

CREATE TABLE row_changes (
    id INTEGER PRIMARY KEY,
    supplier_id INTEGER NOT NULL,
    is_sent INTEGER NOT NULL,
    times INTEGER NOT NULL,
    counts TEXT NOT NULL
) STRICT;
CREATE INDEX row_changes_of_supplier ON row_changes (supplier_id, id);

-- SQLite changes no check of a column. The table has no rows here.
DROP TABLE folded_changes;
CREATE TABLE folded_changes (
    kind TEXT PRIMARY KEY NOT NULL CHECK (kind IN ('processes', 'causes', 'totals', 'activity', 'rows')),
    folded_to INTEGER NOT NULL,
    next_bound INTEGER NOT NULL,
    next_transaction INTEGER NOT NULL
) STRICT;

CREATE TRIGGER processes_inserted_rows AFTER INSERT ON processes
WHEN NEW.sent_rows IS NOT NULL AND NEW.state NOT IN ('CANCELLED', 'DRY_RUN_SUCCEEDED', 'DRY_RUN_ERRORED') BEGIN
    INSERT INTO row_changes (supplier_id, is_sent, times, counts) VALUES (NEW.supplier_id, 1, 1, NEW.sent_rows);
END;

CREATE TRIGGER processes_updated_rows AFTER UPDATE OF state, sent_rows ON processes
WHEN coalesce(OLD.sent_rows, NEW.sent_rows) IS NOT NULL AND (OLD.sent_rows IS NOT NEW.sent_rows
    OR (OLD.state IN ('CANCELLED', 'DRY_RUN_SUCCEEDED', 'DRY_RUN_ERRORED'))
        <> (NEW.state IN ('CANCELLED', 'DRY_RUN_SUCCEEDED', 'DRY_RUN_ERRORED'))) BEGIN
    INSERT INTO row_changes (supplier_id, is_sent, times, counts)
        SELECT OLD.supplier_id, 1, -1, OLD.sent_rows
        WHERE OLD.sent_rows IS NOT NULL AND OLD.state NOT IN ('CANCELLED', 'DRY_RUN_SUCCEEDED', 'DRY_RUN_ERRORED')
        UNION ALL SELECT NEW.supplier_id, 1, 1, NEW.sent_rows
        WHERE NEW.sent_rows IS NOT NULL AND NEW.state NOT IN ('CANCELLED', 'DRY_RUN_SUCCEEDED', 'DRY_RUN_ERRORED');
END;

CREATE TRIGGER processes_deleted_rows AFTER DELETE ON processes
WHEN OLD.sent_rows IS NOT NULL AND OLD.state NOT IN ('CANCELLED', 'DRY_RUN_SUCCEEDED', 'DRY_RUN_ERRORED') BEGIN
    INSERT INTO row_changes (supplier_id, is_sent, times, counts) VALUES (OLD.supplier_id, 1, -1, OLD.sent_rows);
END;
