-- Counts the stored figures of processes and accounts again: processes by state, with what was sent, by cause, and by the
-- minute in which they ended, the totals of accounts, and the rows of both by table. Needed only if deploy/postgres/invariants.sql reports I6, for example after rows
-- were changed by hand without triggers.
--
--   psql -X -1 -d 'postgres://cutover@db.example.com/cutover' -f deploy/postgres/recount.sql
--
-- It reads every row, some seconds per million accounts, and blocks writers meanwhile.

\set ON_ERROR_STOP on

LOCK TABLE processes, accounts, ledgers, readings, transactions, note_documents, statements, historical_statements,
    process_causes, process_changes, cause_changes, total_changes, process_counts, cause_counts, process_minutes, totals,
    row_changes, row_counts IN SHARE ROW EXCLUSIVE MODE;

DELETE FROM process_changes;
DELETE FROM process_causes;
DELETE FROM cause_changes;
DELETE FROM cause_counts;
DELETE FROM total_changes;
DELETE FROM process_counts;
DELETE FROM process_minutes;
DELETE FROM totals;
DELETE FROM row_changes;
DELETE FROM row_counts;

INSERT INTO process_counts (supplier_id, state, error_code, processes,
        sent_high, sent_units, sent_fraction, sent_readings, sent_transactions, sent_documents)
    SELECT supplier_id, state, counted_by(state, error_code, failing_tries), count(*),
        sum(sent_high), sum(sent_units), sum(sent_fraction), sum(sent_readings), sum(sent_transactions), sum(sent_documents)
    FROM processes GROUP BY 1, 2, 3;
INSERT INTO process_minutes
    SELECT supplier_id, ended_in(state, modified_at), state, count(*), min(modified_at), max(modified_at) FROM processes
    WHERE ended_in(state, modified_at) IS NOT NULL GROUP BY 1, 2, 3;

INSERT INTO process_causes (process_id, level, code, attr, supplier_id, created_at, rank)
    SELECT p.id, c.level, c.code, c.attr, p.supplier_id, p.created_at, c.rank
    FROM processes p CROSS JOIN LATERAL causes_of(p.error_causes, p.warning_causes) c;
INSERT INTO cause_counts SELECT supplier_id, level, code, attr, count(*) FROM process_causes GROUP BY 1, 2, 3, 4;

INSERT INTO totals
    SELECT supplier_id, sum(accounts), trim_scale(sum(balance))::TEXT, sum(readings), sum(transactions), sum(documents)
    FROM (
        SELECT supplier_id, 1 AS accounts, 0 AS balance, 0 AS readings, 0 AS transactions, 0 AS documents FROM accounts
        UNION ALL
        SELECT supplier_id, 0, balance::NUMERIC, 0, 0, 0 FROM ledgers JOIN accounts ON id = account_id
        WHERE balance IS NOT NULL
        UNION ALL
        SELECT supplier_id, 0, 0, count(*), 0, 0 FROM readings JOIN accounts ON id = account_id GROUP BY 1
        UNION ALL
        SELECT supplier_id, 0, 0, 0, count(*), 0 FROM transactions JOIN accounts ON id = account_id GROUP BY 1
        UNION ALL
        SELECT supplier_id, 0, 0, 0, 0, count(*) FROM note_documents JOIN accounts ON id = account_id GROUP BY 1
        UNION ALL
        SELECT supplier_id, 0, 0, 0, 0, count(*) FROM statements JOIN accounts ON id = account_id
        WHERE btrim(statement_path, E' \t\r\n') <> '' GROUP BY 1
        UNION ALL
        SELECT supplier_id, 0, 0, 0, 0, count(*) FROM historical_statements JOIN accounts ON id = account_id
        WHERE btrim(statement_path, E' \t\r\n') <> '' GROUP BY 1
    ) AS counted
    GROUP BY supplier_id;

-- The service adds these up.
INSERT INTO row_changes (supplier_id, is_sent, times, counts)
    SELECT supplier_id, TRUE, count(*), rows_sent(state, sent_rows)
    FROM processes WHERE rows_sent(state, sent_rows) IS NOT NULL GROUP BY 1, 4
    UNION ALL SELECT supplier_id, FALSE, count(*), total_rows FROM accounts WHERE total_rows IS NOT NULL GROUP BY 1, 4;
