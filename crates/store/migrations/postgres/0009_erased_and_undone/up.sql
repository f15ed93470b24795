-- What erasing an account leaves (decision 0018): a keyed hash of supplier and number, and of the supplier the certificate
-- key that its marks are made with. Null: it has no marks.
CREATE TABLE erased_accounts (
    supplier_id BIGINT NOT NULL REFERENCES suppliers (id),
    mark BYTEA NOT NULL CHECK (length(mark) = 32),
    PRIMARY KEY (supplier_id, mark)
);
ALTER TABLE suppliers ADD COLUMN mark_key TEXT;

-- Of a job: only cancelled processes whose import was undone, or only others; null: both. And the reason of the operator.
ALTER TABLE jobs ADD COLUMN is_undone BOOLEAN;
ALTER TABLE jobs ADD COLUMN because TEXT;

-- A cancelled process is in no outage, so its failing_tries were null. They are 0 if its import was undone. It is cancelled all
-- the same for whoever asks for the state. Those that were undone are counted with the word 'undone' where others have the
-- code of their error.
CREATE FUNCTION counted_by(state TEXT, error_code TEXT, failing_tries BIGINT) RETURNS TEXT LANGUAGE SQL IMMUTABLE AS $$
    SELECT CASE WHEN state = 'CANCELLED' AND failing_tries IS NOT NULL THEN 'undone' ELSE coalesce(error_code, '') END
$$;

-- As before, with that word.
CREATE OR REPLACE FUNCTION count_processes() RETURNS TRIGGER LANGUAGE plpgsql AS $$ BEGIN
    IF TG_OP = 'INSERT' THEN
        INSERT INTO process_changes (supplier_id, state, error_code, minute, change, first_at, last_at,
                sent_high, sent_units, sent_fraction, sent_readings, sent_transactions, sent_documents)
            SELECT supplier_id, state, counted_by(state, error_code, failing_tries), ended_in(state, modified_at), count(*),
                min(modified_at), max(modified_at),
                sum(sent_high), sum(sent_units), sum(sent_fraction),
                sum(sent_readings), sum(sent_transactions), sum(sent_documents)
            FROM came GROUP BY 1, 2, 3, 4;
    ELSIF TG_OP = 'UPDATE' THEN
        INSERT INTO process_changes (supplier_id, state, error_code, minute, change, first_at, last_at,
                sent_high, sent_units, sent_fraction, sent_readings, sent_transactions, sent_documents)
            SELECT supplier_id, state, counted_by(state, error_code, failing_tries), ended_in(state, modified_at), sum(change),
                min(modified_at) FILTER (WHERE change > 0), max(modified_at) FILTER (WHERE change > 0),
                sum(change * sent_high), sum(change * sent_units), sum(change * sent_fraction),
                sum(change * sent_readings), sum(change * sent_transactions), sum(change * sent_documents)
            FROM (SELECT supplier_id, state, error_code, failing_tries, modified_at, 1 AS change,
                    sent_high, sent_units, sent_fraction, sent_readings, sent_transactions, sent_documents FROM came
                UNION ALL SELECT supplier_id, state, error_code, failing_tries, modified_at, -1,
                    sent_high, sent_units, sent_fraction, sent_readings, sent_transactions, sent_documents FROM went) AS changed
            GROUP BY 1, 2, 3, 4 HAVING sum(change) <> 0
                OR sum(change * sent_high) <> 0 OR sum(change * sent_units) <> 0 OR sum(change * sent_fraction) <> 0
                OR sum(change * sent_readings) <> 0 OR sum(change * sent_transactions) <> 0 OR sum(change * sent_documents) <> 0;
    ELSE
        INSERT INTO process_changes (supplier_id, state, error_code, minute, change,
                sent_high, sent_units, sent_fraction, sent_readings, sent_transactions, sent_documents)
            SELECT supplier_id, state, counted_by(state, error_code, failing_tries), ended_in(state, modified_at), -count(*),
                -sum(sent_high), -sum(sent_units), -sum(sent_fraction),
                -sum(sent_readings), -sum(sent_transactions), -sum(sent_documents)
            FROM went GROUP BY 1, 2, 3, 4;
    END IF;
    RETURN NULL;
END $$;

-- A replaced function loses its settings.
DO $$ BEGIN
    EXECUTE format('ALTER FUNCTION count_processes() SECURITY DEFINER SET search_path = %I, pg_temp', current_schema());
END $$;

-- Archived processes cannot be told apart: their history is not here.
UPDATE processes SET failing_tries = 0 WHERE state = 'CANCELLED' AND EXISTS (
    SELECT 1 FROM process_history h
    WHERE h.process_id = processes.id AND h.version = processes.version AND h.event = 'undone');
