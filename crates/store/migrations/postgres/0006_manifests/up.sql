-- What a supplier declares that its files come to, and what it has sent: the sums over its processes, which are kept with
-- their counts, state by state. The sent balance of an account times 10^10 is a whole number, kept as three numbers to the
-- base 10^10 (sent_high, sent_units, sent_fraction), all with its sign: their sums are exact.

CREATE TABLE manifests (
    supplier_id BIGINT PRIMARY KEY REFERENCES suppliers (id),
    accounts BIGINT NOT NULL,
    ledger_balance TEXT NOT NULL,
    readings BIGINT NOT NULL,
    transactions BIGINT NOT NULL,
    documents BIGINT NOT NULL,
    declared_at TIMESTAMPTZ NOT NULL
);

ALTER TABLE processes
    ADD COLUMN sent_high BIGINT NOT NULL DEFAULT 0,
    ADD COLUMN sent_units BIGINT NOT NULL DEFAULT 0,
    ADD COLUMN sent_fraction BIGINT NOT NULL DEFAULT 0,
    ADD COLUMN sent_readings BIGINT NOT NULL DEFAULT 0,
    ADD COLUMN sent_transactions BIGINT NOT NULL DEFAULT 0,
    ADD COLUMN sent_documents BIGINT NOT NULL DEFAULT 0;

ALTER TABLE process_counts
    ADD COLUMN sent_high BIGINT NOT NULL DEFAULT 0,
    ADD COLUMN sent_units BIGINT NOT NULL DEFAULT 0,
    ADD COLUMN sent_fraction BIGINT NOT NULL DEFAULT 0,
    ADD COLUMN sent_readings BIGINT NOT NULL DEFAULT 0,
    ADD COLUMN sent_transactions BIGINT NOT NULL DEFAULT 0,
    ADD COLUMN sent_documents BIGINT NOT NULL DEFAULT 0;

ALTER TABLE process_changes
    ADD COLUMN sent_high BIGINT NOT NULL DEFAULT 0,
    ADD COLUMN sent_units BIGINT NOT NULL DEFAULT 0,
    ADD COLUMN sent_fraction BIGINT NOT NULL DEFAULT 0,
    ADD COLUMN sent_readings BIGINT NOT NULL DEFAULT 0,
    ADD COLUMN sent_transactions BIGINT NOT NULL DEFAULT 0,
    ADD COLUMN sent_documents BIGINT NOT NULL DEFAULT 0;

-- As before, with what was sent.
CREATE OR REPLACE FUNCTION count_processes() RETURNS TRIGGER LANGUAGE plpgsql AS $$ BEGIN
    IF TG_OP = 'INSERT' THEN
        INSERT INTO process_changes (supplier_id, state, error_code, minute, change, first_at, last_at,
                sent_high, sent_units, sent_fraction, sent_readings, sent_transactions, sent_documents)
            SELECT supplier_id, state, coalesce(error_code, ''), ended_in(state, modified_at), count(*),
                min(modified_at), max(modified_at),
                sum(sent_high), sum(sent_units), sum(sent_fraction),
                sum(sent_readings), sum(sent_transactions), sum(sent_documents)
            FROM came GROUP BY 1, 2, 3, 4;
    ELSIF TG_OP = 'UPDATE' THEN
        INSERT INTO process_changes (supplier_id, state, error_code, minute, change, first_at, last_at,
                sent_high, sent_units, sent_fraction, sent_readings, sent_transactions, sent_documents)
            SELECT supplier_id, state, coalesce(error_code, ''), ended_in(state, modified_at), sum(change),
                min(modified_at) FILTER (WHERE change > 0), max(modified_at) FILTER (WHERE change > 0),
                sum(change * sent_high), sum(change * sent_units), sum(change * sent_fraction),
                sum(change * sent_readings), sum(change * sent_transactions), sum(change * sent_documents)
            FROM (SELECT supplier_id, state, error_code, modified_at, 1 AS change,
                    sent_high, sent_units, sent_fraction, sent_readings, sent_transactions, sent_documents FROM came
                UNION ALL SELECT supplier_id, state, error_code, modified_at, -1,
                    sent_high, sent_units, sent_fraction, sent_readings, sent_transactions, sent_documents FROM went) AS changed
            GROUP BY 1, 2, 3, 4 HAVING sum(change) <> 0
                OR sum(change * sent_high) <> 0 OR sum(change * sent_units) <> 0 OR sum(change * sent_fraction) <> 0
                OR sum(change * sent_readings) <> 0 OR sum(change * sent_transactions) <> 0 OR sum(change * sent_documents) <> 0;
    ELSE
        INSERT INTO process_changes (supplier_id, state, error_code, minute, change,
                sent_high, sent_units, sent_fraction, sent_readings, sent_transactions, sent_documents)
            SELECT supplier_id, state, coalesce(error_code, ''), ended_in(state, modified_at), -count(*),
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
