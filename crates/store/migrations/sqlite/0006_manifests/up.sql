-- What a supplier declares that its files come to, and what it has sent: the sums over its processes, which are kept with
-- their counts, state by state. The sent balance of an account times 10^10 is a whole number, kept as three numbers to the
-- base 10^10 (sent_high, sent_units, sent_fraction), all with its sign: their sums are exact.

CREATE TABLE manifests (
    supplier_id INTEGER PRIMARY KEY REFERENCES suppliers (id),
    accounts INTEGER NOT NULL,
    ledger_balance TEXT NOT NULL,
    readings INTEGER NOT NULL,
    transactions INTEGER NOT NULL,
    documents INTEGER NOT NULL,
    declared_at INTEGER NOT NULL
) STRICT;

ALTER TABLE processes ADD COLUMN sent_high INTEGER NOT NULL DEFAULT 0;
ALTER TABLE processes ADD COLUMN sent_units INTEGER NOT NULL DEFAULT 0;
ALTER TABLE processes ADD COLUMN sent_fraction INTEGER NOT NULL DEFAULT 0;
ALTER TABLE processes ADD COLUMN sent_readings INTEGER NOT NULL DEFAULT 0;
ALTER TABLE processes ADD COLUMN sent_transactions INTEGER NOT NULL DEFAULT 0;
ALTER TABLE processes ADD COLUMN sent_documents INTEGER NOT NULL DEFAULT 0;

ALTER TABLE process_counts ADD COLUMN sent_high INTEGER NOT NULL DEFAULT 0;
ALTER TABLE process_counts ADD COLUMN sent_units INTEGER NOT NULL DEFAULT 0;
ALTER TABLE process_counts ADD COLUMN sent_fraction INTEGER NOT NULL DEFAULT 0;
ALTER TABLE process_counts ADD COLUMN sent_readings INTEGER NOT NULL DEFAULT 0;
ALTER TABLE process_counts ADD COLUMN sent_transactions INTEGER NOT NULL DEFAULT 0;
ALTER TABLE process_counts ADD COLUMN sent_documents INTEGER NOT NULL DEFAULT 0;

ALTER TABLE process_changes ADD COLUMN sent_high INTEGER NOT NULL DEFAULT 0;
ALTER TABLE process_changes ADD COLUMN sent_units INTEGER NOT NULL DEFAULT 0;
ALTER TABLE process_changes ADD COLUMN sent_fraction INTEGER NOT NULL DEFAULT 0;
ALTER TABLE process_changes ADD COLUMN sent_readings INTEGER NOT NULL DEFAULT 0;
ALTER TABLE process_changes ADD COLUMN sent_transactions INTEGER NOT NULL DEFAULT 0;
ALTER TABLE process_changes ADD COLUMN sent_documents INTEGER NOT NULL DEFAULT 0;

DROP TRIGGER processes_inserted;
DROP TRIGGER processes_updated;
DROP TRIGGER processes_deleted;

CREATE TRIGGER processes_inserted AFTER INSERT ON processes BEGIN
    INSERT INTO process_counts (supplier_id, state, error_code, processes, sent_high, sent_units, sent_fraction, sent_readings, sent_transactions, sent_documents)
        VALUES (NEW.supplier_id, NEW.state, coalesce(NEW.error_code, ''), 1, NEW.sent_high, NEW.sent_units, NEW.sent_fraction, NEW.sent_readings, NEW.sent_transactions, NEW.sent_documents)
        ON CONFLICT (supplier_id, state, error_code) DO UPDATE SET processes = processes + 1,
            sent_high = sent_high + excluded.sent_high, sent_units = sent_units + excluded.sent_units, sent_fraction = sent_fraction + excluded.sent_fraction,
            sent_readings = sent_readings + excluded.sent_readings, sent_transactions = sent_transactions + excluded.sent_transactions, sent_documents = sent_documents + excluded.sent_documents;
    INSERT INTO process_minutes
        SELECT NEW.supplier_id, NEW.modified_at / 60000000 * 60000000, NEW.state, 1, NEW.modified_at, NEW.modified_at
        WHERE NEW.state IN ('PROCESSED', 'DRY_RUN_SUCCEEDED', 'ERRORED', 'DRY_RUN_ERRORED')
        ON CONFLICT (supplier_id, minute, state) DO UPDATE SET processes = processes + 1,
            first_at = min(first_at, excluded.first_at), last_at = max(last_at, excluded.last_at);
END;

CREATE TRIGGER processes_updated AFTER UPDATE OF supplier_id, state, error_code, modified_at ON processes
WHEN (OLD.supplier_id, OLD.state, OLD.error_code, OLD.modified_at)
    IS NOT (NEW.supplier_id, NEW.state, NEW.error_code, NEW.modified_at) BEGIN
    UPDATE process_counts SET processes = processes - 1,
        sent_high = sent_high - OLD.sent_high, sent_units = sent_units - OLD.sent_units, sent_fraction = sent_fraction - OLD.sent_fraction,
        sent_readings = sent_readings - OLD.sent_readings, sent_transactions = sent_transactions - OLD.sent_transactions, sent_documents = sent_documents - OLD.sent_documents
        WHERE (supplier_id, state, error_code) = (OLD.supplier_id, OLD.state, coalesce(OLD.error_code, ''));
    INSERT INTO process_counts (supplier_id, state, error_code, processes, sent_high, sent_units, sent_fraction, sent_readings, sent_transactions, sent_documents)
        VALUES (NEW.supplier_id, NEW.state, coalesce(NEW.error_code, ''), 1, NEW.sent_high, NEW.sent_units, NEW.sent_fraction, NEW.sent_readings, NEW.sent_transactions, NEW.sent_documents)
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
WHEN (OLD.supplier_id, OLD.state, OLD.error_code, OLD.modified_at)
    IS (NEW.supplier_id, NEW.state, NEW.error_code, NEW.modified_at) BEGIN
    UPDATE process_counts SET
        sent_high = sent_high - OLD.sent_high + NEW.sent_high,
        sent_units = sent_units - OLD.sent_units + NEW.sent_units,
        sent_fraction = sent_fraction - OLD.sent_fraction + NEW.sent_fraction,
        sent_readings = sent_readings - OLD.sent_readings + NEW.sent_readings,
        sent_transactions = sent_transactions - OLD.sent_transactions + NEW.sent_transactions,
        sent_documents = sent_documents - OLD.sent_documents + NEW.sent_documents
        WHERE (supplier_id, state, error_code) = (NEW.supplier_id, NEW.state, coalesce(NEW.error_code, ''));
END;

CREATE TRIGGER processes_deleted AFTER DELETE ON processes BEGIN
    UPDATE process_counts SET processes = processes - 1,
        sent_high = sent_high - OLD.sent_high, sent_units = sent_units - OLD.sent_units, sent_fraction = sent_fraction - OLD.sent_fraction,
        sent_readings = sent_readings - OLD.sent_readings, sent_transactions = sent_transactions - OLD.sent_transactions, sent_documents = sent_documents - OLD.sent_documents
        WHERE (supplier_id, state, error_code) = (OLD.supplier_id, OLD.state, coalesce(OLD.error_code, ''));
    UPDATE process_minutes SET processes = processes - 1
        WHERE (supplier_id, minute, state) = (OLD.supplier_id, OLD.modified_at / 60000000 * 60000000, OLD.state);
END;
