-- What erasing an account leaves (decision 0018): a keyed hash of supplier and number, and of the supplier the certificate
-- key that its marks are made with. Null: it has no marks.
CREATE TABLE erased_accounts (
    supplier_id INTEGER NOT NULL REFERENCES suppliers (id),
    mark BLOB NOT NULL CHECK (length(mark) = 32),
    PRIMARY KEY (supplier_id, mark)
) STRICT, WITHOUT ROWID;
ALTER TABLE suppliers ADD COLUMN mark_key TEXT;

-- Of a job: only cancelled processes whose import was undone, or only others; null: both. And the reason of the operator.
ALTER TABLE jobs ADD COLUMN is_undone INTEGER CHECK (is_undone IN (0, 1));
ALTER TABLE jobs ADD COLUMN because TEXT;

-- A cancelled process is in no outage, so its failing_tries were null. They are 0 if its import was undone. It is cancelled all
-- the same for whoever asks for the state. Those that were undone are counted with the word 'undone' where others have the
-- code of their error.
DROP TRIGGER processes_updated;
DROP TRIGGER processes_restaged;
DROP TRIGGER processes_deleted;

CREATE TRIGGER processes_updated AFTER UPDATE OF supplier_id, state, error_code, modified_at, failing_tries ON processes
WHEN (OLD.supplier_id, OLD.state, OLD.error_code, OLD.modified_at, OLD.failing_tries)
    IS NOT (NEW.supplier_id, NEW.state, NEW.error_code, NEW.modified_at, NEW.failing_tries) BEGIN
    UPDATE process_counts SET processes = processes - 1,
        sent_high = sent_high - OLD.sent_high, sent_units = sent_units - OLD.sent_units, sent_fraction = sent_fraction - OLD.sent_fraction,
        sent_readings = sent_readings - OLD.sent_readings, sent_transactions = sent_transactions - OLD.sent_transactions, sent_documents = sent_documents - OLD.sent_documents
        WHERE (supplier_id, state, error_code) = (OLD.supplier_id, OLD.state, CASE WHEN OLD.state = 'CANCELLED' AND OLD.failing_tries IS NOT NULL THEN 'undone' ELSE coalesce(OLD.error_code, '') END);
    INSERT INTO process_counts (supplier_id, state, error_code, processes, sent_high, sent_units, sent_fraction, sent_readings, sent_transactions, sent_documents)
        VALUES (NEW.supplier_id, NEW.state, CASE WHEN NEW.state = 'CANCELLED' AND NEW.failing_tries IS NOT NULL THEN 'undone' ELSE coalesce(NEW.error_code, '') END, 1, NEW.sent_high, NEW.sent_units, NEW.sent_fraction, NEW.sent_readings, NEW.sent_transactions, NEW.sent_documents)
        ON CONFLICT (supplier_id, state, error_code) DO UPDATE SET processes = processes + 1,
            sent_high = sent_high + excluded.sent_high, sent_units = sent_units + excluded.sent_units, sent_fraction = sent_fraction + excluded.sent_fraction,
            sent_readings = sent_readings + excluded.sent_readings, sent_transactions = sent_transactions + excluded.sent_transactions, sent_documents = sent_documents + excluded.sent_documents;
    UPDATE process_minutes SET processes = processes - 1
        WHERE (supplier_id, minute, state) = (OLD.supplier_id, OLD.modified_at / 60000000 * 60000000, OLD.state);
    INSERT INTO process_minutes
        SELECT NEW.supplier_id, NEW.modified_at / 60000000 * 60000000, NEW.state, 1, NEW.modified_at, NEW.modified_at
        WHERE NEW.state IN ('PROCESSED', 'DRY_RUN_SUCCEEDED', 'ERRORED', 'DRY_RUN_ERRORED')
        ON CONFLICT (supplier_id, minute, state) DO UPDATE SET processes = processes + 1,
            first_at = min(first_at, excluded.first_at), last_at = max(last_at, excluded.last_at);
END;

-- Another payload for an account that stays in its state.
CREATE TRIGGER processes_restaged AFTER UPDATE OF sent_high, sent_units, sent_fraction, sent_readings, sent_transactions, sent_documents ON processes
WHEN (OLD.supplier_id, OLD.state, OLD.error_code, OLD.modified_at, OLD.failing_tries)
    IS (NEW.supplier_id, NEW.state, NEW.error_code, NEW.modified_at, NEW.failing_tries) BEGIN
    UPDATE process_counts SET
        sent_high = sent_high - OLD.sent_high + NEW.sent_high,
        sent_units = sent_units - OLD.sent_units + NEW.sent_units,
        sent_fraction = sent_fraction - OLD.sent_fraction + NEW.sent_fraction,
        sent_readings = sent_readings - OLD.sent_readings + NEW.sent_readings,
        sent_transactions = sent_transactions - OLD.sent_transactions + NEW.sent_transactions,
        sent_documents = sent_documents - OLD.sent_documents + NEW.sent_documents
        WHERE (supplier_id, state, error_code) = (NEW.supplier_id, NEW.state, CASE WHEN NEW.state = 'CANCELLED' AND NEW.failing_tries IS NOT NULL THEN 'undone' ELSE coalesce(NEW.error_code, '') END);
END;

CREATE TRIGGER processes_deleted AFTER DELETE ON processes BEGIN
    UPDATE process_counts SET processes = processes - 1,
        sent_high = sent_high - OLD.sent_high, sent_units = sent_units - OLD.sent_units, sent_fraction = sent_fraction - OLD.sent_fraction,
        sent_readings = sent_readings - OLD.sent_readings, sent_transactions = sent_transactions - OLD.sent_transactions, sent_documents = sent_documents - OLD.sent_documents
        WHERE (supplier_id, state, error_code) = (OLD.supplier_id, OLD.state, CASE WHEN OLD.state = 'CANCELLED' AND OLD.failing_tries IS NOT NULL THEN 'undone' ELSE coalesce(OLD.error_code, '') END);
    UPDATE process_minutes SET processes = processes - 1
        WHERE (supplier_id, minute, state) = (OLD.supplier_id, OLD.modified_at / 60000000 * 60000000, OLD.state);
END;

-- Archived processes cannot be told apart: their history is not here.
UPDATE processes SET failing_tries = 0 WHERE state = 'CANCELLED' AND EXISTS (
    SELECT 1 FROM process_history h
    WHERE h.process_id = processes.id AND h.version = processes.version AND h.event = 'undone');
