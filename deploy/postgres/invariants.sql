-- Checks the invariants of a database of Cutover, which hold at any moment, whatever crashed. Prints a line of CSV
-- for each violation: invariant, supplier, number, fault. Prints nothing if all hold.
--
--   psql -X -d 'postgres://cutover@db.example.com/cutover' -f deploy/postgres/invariants.sql
--
-- Exits with 0 if all hold, with 3 if one does not or the check failed, with 2 without a connection.
-- Options:
--   -v accepted=FILE    lines `supplier,number`, as CSV: the accounts whose creation was answered 201,
--                       except those that were erased since and not sent again
--   -v bound='1 hour'   delay of due work that counts as a violation; default 5 minutes. Work in a long queue is
--                       late without a fault.
--
-- One statement reads every row: it sees one state, also of a database in use, and writes nothing. With `accepted`
-- it creates a temporary table, which is not possible on a standby.
--
-- I1  Every accepted account has its process; every process has its payload, unless that is archived. An account that
--     is imported or archived has no previous attempt.
-- I2  A supplier's account number has one process, and at most one account.
-- I3  A process is PROCESSED if and only if its account is complete: under its number, with a ledger, rows numbered
--     without a gap, and parents for all of them; and its history has every step and one import. An account that the
--     audit trail records as erased does not exist.
-- I4  PROCESSED never changes, except that an undo removes the account and cancels the process. The number of such an account
--     is not used again.
-- I5  No due work of an Ongoing supplier inside its window waits for long.
-- I6  The stored figures of a supplier equal those of its processes and accounts. recount.sql counts them again.

\set ON_ERROR_STOP on
\set QUIET on
\pset format csv
\pset tuples_only on
\pset pager off
-- Compiling the statement takes longer than running it on small tables.
SET jit = off;

\if :{?bound}
\else
    \set bound '5 minutes'
\endif

-- Interpolates the name, which \copy itself does not.
\if :{?accepted}
    CREATE TEMPORARY TABLE accepted (supplier TEXT NOT NULL, number TEXT NOT NULL);
    \set copy '\\copy pg_temp.accepted FROM ' :'accepted' ' WITH (FORMAT csv)'
    :copy
    ANALYZE accepted;
    \set accepted_rows 'SELECT supplier, number FROM pg_temp.accepted'
\else
    \set accepted_rows 'SELECT NULL::TEXT AS supplier, NULL::TEXT AS number WHERE false'
\endif

-- The rows of an account, a process or a business begin with its key. Those whose key ends with a position are
-- numbered from 0 within all that is before it. So the tables need not be listed: a new one is checked like these.
WITH keys AS (
    SELECT c.oid, c.oid::REGCLASS AS name, array_agg(a.attname::TEXT ORDER BY k.place) AS columns
    FROM pg_class c
    JOIN pg_index i ON i.indrelid = c.oid AND i.indisprimary
    CROSS JOIN LATERAL unnest(i.indkey::INT2[]) WITH ORDINALITY AS k (attnum, place)
    JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = k.attnum
    WHERE c.relkind IN ('r', 'p') AND NOT c.relispartition
        AND c.relnamespace = (SELECT relnamespace FROM pg_class WHERE oid = 'processes'::REGCLASS)
    GROUP BY c.oid
), owned AS (
    SELECT *, columns[1] AS owner, CASE
        WHEN columns[1] IN ('process_id', 'account_id') THEN 'processes'
        WHEN columns[1] = 'business_id' THEN 'businesses'
        WHEN name IN ('processes'::REGCLASS, 'accounts'::REGCLASS) THEN 'processes'
        WHEN name = 'businesses'::REGCLASS THEN 'businesses'
    END AS owners
    FROM keys
), numbered AS (
    SELECT *, array_to_string(columns[:cardinality(columns) - 1], ', ') AS group_columns
    FROM owned
    WHERE owners IS NOT NULL AND columns[cardinality(columns)] = 'position'
), parents ("column", parent) AS (
    VALUES ('supply_address', 'supply_addresses'), ('meter_point', 'meter_points'), ('meter', 'meters'),
        ('ledger', 'ledgers'), ('txn', 'transactions'), ('note', 'notes')
), referring AS (
    -- References that are declared.
    SELECT o.name, o.owner, o.owners, f.confrelid::REGCLASS AS parent,
        string_agg(format('p.%I = c.%I', theirs.attname, ours.attname), ' AND ') AS match,
        string_agg(format('c.%I IS NOT NULL', ours.attname), ' AND ') AS given
    FROM owned o
    JOIN pg_constraint f ON f.conrelid = o.oid AND f.contype = 'f' AND f.conparentid = 0
    CROSS JOIN LATERAL unnest(f.conkey, f.confkey) AS k (ours, theirs)
    JOIN pg_attribute ours ON ours.attrelid = f.conrelid AND ours.attnum = k.ours
    JOIN pg_attribute theirs ON theirs.attrelid = f.confrelid AND theirs.attnum = k.theirs
    WHERE o.owners IS NOT NULL
    GROUP BY f.oid, f.confrelid, o.name, o.owner, o.owners
    UNION ALL
    -- Those of rows to their account or process, and to other rows of the same account, which are not.
    SELECT o.name, o.owner, o.owners, CASE o.owner WHEN 'account_id' THEN 'accounts' ELSE 'processes' END::REGCLASS,
        format('p.id = c.%I', o.owner), 'true'
    FROM owned o WHERE o.owner IN ('account_id', 'process_id')
    UNION ALL
    SELECT o.name, o.owner, o.owners, p.parent::REGCLASS,
        format('p.account_id = c.account_id AND p.position = c.%I', p."column"), format('c.%I IS NOT NULL', p."column")
    FROM owned o JOIN pg_attribute a ON a.attrelid = o.oid AND a.atttypid = 'int8'::REGTYPE
    JOIN parents p ON p."column" = a.attname
    WHERE o.owner = 'account_id'
)
SELECT
    (SELECT string_agg(format(
        'SELECT %L, %I::BIGINT, format(''%s: %%s rows of %s %%s have positions from %%s to %%s'', '
        'count(*), %I, min(position), max(position)) FROM %s GROUP BY %s '
        'HAVING min(position) <> 0 OR max(position) <> count(*) - 1',
        owners, owner, name, owner, owner, name, group_columns), ' UNION ALL ' ORDER BY name::TEXT)
    FROM numbered) AS gaps,
    (SELECT string_agg(format(
        'SELECT %L, c.%I::BIGINT, format(''%s: a row of %s %%s has no %s'', c.%I) FROM %s c '
        'WHERE %s AND NOT EXISTS (SELECT FROM %s p WHERE %s)',
        owners, owner, name, owner, parent, owner, name, given, parent, match),
        ' UNION ALL ' ORDER BY name::TEXT, parent::TEXT)
    FROM referring) AS orphans
\gset

-- Those that are the single process's, then those between rows.
WITH accepted AS (
    :accepted_rows
), known AS NOT MATERIALIZED (
    -- Accounts of a supplier that is held, or whose wave is full, wait on purpose.
    SELECT s.code AS supplier, CASE WHEN g.held_by IS NOT NULL OR g.claimed >= g.wave_size THEN 'Held' ELSE s.status END AS status,
        s.max_concurrent_imports, p.*
    FROM processes p LEFT JOIN suppliers s ON s.id = p.supplier_id LEFT JOIN supplier_gates g ON g.supplier_id = s.id
), entries AS (
    SELECT process_id, count(*) AS entries, min(version) AS first, max(version) AS last,
        count(*) FILTER (WHERE event = 'imported') - count(*) FILTER (WHERE event = 'undone') AS imports,
        min(version) FILTER (WHERE event = 'imported') AS imported,
        max(version) FILTER (WHERE event = 'undone') AS undone
    FROM process_history GROUP BY process_id
), undone AS (
    -- What follows an import, and what an undo follows.
    SELECT u.process_id, i.version, i.event, u.event AS next FROM process_history i
    JOIN process_history u ON u.process_id = i.process_id AND u.version = i.version + 1
    WHERE (i.event = 'imported') <> (u.event = 'undone')
), single AS (
    SELECT k.supplier, k.external_account_number AS number, c.invariant, c.what
    FROM known k
    LEFT JOIN payloads y ON y.process_id = k.id
    LEFT JOIN previous_attempts r ON r.process_id = k.id
    LEFT JOIN entries h ON h.process_id = k.id
    LEFT JOIN process_history f ON f.process_id = h.process_id AND f.version = h.first
    LEFT JOIN process_history e ON e.process_id = h.process_id AND e.version = h.last
    LEFT JOIN accounts a ON a.id = k.id
    LEFT JOIN ledgers l ON l.account_id = a.id AND l.position = 0
    CROSS JOIN LATERAL (VALUES
        ('I1', CASE WHEN y.process_id IS NULL AND k.archived_at IS NULL THEN 'has no payload' END),
        ('I1', CASE WHEN y.process_id IS NOT NULL AND k.archived_at IS NOT NULL
            THEN 'is archived, and its payload is here' END),
        ('I1', CASE WHEN r.process_id IS NOT NULL AND (k.state = 'PROCESSED' OR k.archived_at IS NOT NULL)
            THEN 'is imported or archived, and its previous attempt is here' END),
        ('I3', CASE WHEN (k.state = 'PROCESSED') <> (k.service_account_number IS NOT NULL)
            THEN format('is %s, with %s account number', k.state,
                CASE WHEN k.service_account_number IS NULL THEN 'no' ELSE 'an' END) END),
        ('I3', CASE WHEN (k.state = 'PROCESSED') <> (a.id IS NOT NULL)
            THEN format('is %s, and there is %s account', k.state, CASE WHEN a.id IS NULL THEN 'no' ELSE 'an' END) END),
        ('I3', CASE WHEN a.number <> k.service_account_number THEN 'its account has another number' END),
        ('I3', CASE WHEN (a.supplier_id, a.external_account_number) <> (k.supplier_id, k.external_account_number)
            THEN 'its account is that of another' END),
        ('I3', CASE WHEN a.id IS NOT NULL AND l.account_id IS NULL THEN 'its account has no first ledger' END),
        ('I3', CASE WHEN h.process_id IS NULL AND k.archived_at IS NULL THEN 'has no history' END),
        ('I3', CASE WHEN h.process_id IS NOT NULL AND k.archived_at IS NOT NULL
            THEN 'is archived, and its history is here' END),
        -- That of one which was sent again after it had been archived begins with that.
        ('I3', CASE WHEN h.first <> 1 AND f.event <> 'resubmitted'
            THEN format('its history begins with version %s, %s', h.first, f.event) END),
        ('I3', CASE WHEN h.entries <> h.last - h.first + 1
            THEN format('its history has %s entries from version %s to %s', h.entries, h.first, h.last) END),
        ('I3', CASE WHEN h.last <> k.version
            THEN format('is at version %s, and its history ends at %s', k.version, h.last) END),
        ('I3', CASE WHEN (k.state, k.modified_at) <> (e.to_state, e.occurred_at)
            THEN format('is %s since %s, and its history ends with %s at %s', k.state, k.modified_at, e.to_state,
                e.occurred_at) END),
        ('I3', CASE WHEN k.state = 'PROCESSED' AND h.imports <> 1
            THEN format('is PROCESSED, and was imported %s times', h.imports) END),
        ('I4', CASE WHEN h.undone IS NULL AND (h.imported < greatest(h.last, k.version)
            OR h.imports > 0 AND k.state <> 'PROCESSED')
            THEN format('was imported at version %s, and is %s at version %s', h.imported, k.state,
                greatest(h.last, k.version)) END),
        ('I5', CASE WHEN k.state = 'PENDING' AND k.status = 'Ongoing' AND k.due_at < now() - :'bound'::INTERVAL
            AND k.max_concurrent_imports IS DISTINCT FROM 0 AND (k.window_end > now()) IS NOT FALSE
            THEN format('is due since %s', k.due_at) END),
        ('I5', CASE WHEN k.state = 'PENDING' AND k.status = 'Ongoing' AND k.window_end < now() - :'bound'::INTERVAL
            THEN format('missed its window at %s', k.window_end) END),
        ('I5', CASE WHEN k.state = 'IN_PROGRESS' AND k.status = 'Ongoing' AND k.lease_until < now() - :'bound'::INTERVAL
            THEN format('was claimed until %s', k.lease_until) END)
    ) AS c (invariant, what)
    WHERE c.what IS NOT NULL
), repeated AS (
    SELECT supplier_id, external_account_number, format('%s processes are its', count(*)) AS what
    FROM processes GROUP BY 1, 2 HAVING count(*) > 1
    UNION ALL
    SELECT supplier_id, external_account_number, format('%s accounts are its', count(*))
    FROM accounts GROUP BY 1, 2 HAVING count(*) > 1
    UNION ALL
    SELECT min(supplier_id), min(external_account_number), format('%s accounts have its number', count(*))
    FROM accounts GROUP BY number HAVING count(*) > 1
), states (supplier_id, state, error_code, kept, found) AS (
    SELECT supplier_id, state, error_code, processes, 0 FROM process_counts
    UNION ALL SELECT supplier_id, state, error_code, change, 0 FROM process_changes
    UNION ALL SELECT supplier_id, state, counted_by(state, error_code, failing_tries), 0, count(*) FROM processes GROUP BY 1, 2, 3
), minutes (supplier_id, minute, state, kept, found) AS (
    SELECT supplier_id, minute, state, processes, 0 FROM process_minutes
    UNION ALL SELECT supplier_id, minute, state, change, 0 FROM process_changes WHERE minute IS NOT NULL
    UNION ALL SELECT supplier_id, ended_in(state, modified_at), state, 0, count(*) FROM processes
        WHERE ended_in(state, modified_at) IS NOT NULL GROUP BY 1, 2, 3
), causes (supplier_id, level, code, attr, kept, listed, found) AS (
    SELECT supplier_id, level, code, attr, accounts, 0, 0 FROM cause_counts
    UNION ALL SELECT supplier_id, level, code, attr, change, 0, 0 FROM cause_changes
    UNION ALL SELECT supplier_id, level, code, attr, 0, count(*), 0 FROM process_causes GROUP BY 1, 2, 3, 4
    UNION ALL SELECT p.supplier_id, c.level, c.code, c.attr, 0, 0, count(*)
        FROM processes p CROSS JOIN LATERAL causes_of(p.error_causes, p.warning_causes) c GROUP BY 1, 2, 3, 4
), sums (supplier_id, name, kept, found) AS (
    SELECT t.supplier_id, f.name, f.kept, 0
    FROM (SELECT supplier_id, accounts, ledger_balance, readings, transactions, documents FROM totals
        UNION ALL SELECT supplier_id, accounts, ledger_balance, readings, transactions, documents FROM total_changes) AS t
    CROSS JOIN LATERAL (VALUES ('accounts', accounts), ('ledger_balance', ledger_balance::NUMERIC),
        ('readings', readings), ('transactions', transactions), ('documents', documents)) AS f (name, kept)
    UNION ALL SELECT supplier_id, 'accounts', 0, count(*) FROM accounts GROUP BY 1
    UNION ALL SELECT supplier_id, 'ledger_balance', 0, sum(balance::NUMERIC)
        FROM ledgers JOIN accounts ON id = account_id WHERE balance IS NOT NULL GROUP BY 1
    UNION ALL SELECT supplier_id, 'readings', 0, count(*) FROM readings JOIN accounts ON id = account_id GROUP BY 1
    UNION ALL SELECT supplier_id, 'transactions', 0, count(*)
        FROM transactions JOIN accounts ON id = account_id GROUP BY 1
    UNION ALL SELECT supplier_id, 'documents', 0, count(*)
        FROM note_documents JOIN accounts ON id = account_id GROUP BY 1
    UNION ALL SELECT supplier_id, 'documents', 0, count(*)
        FROM statements JOIN accounts ON id = account_id WHERE btrim(statement_path, E' \t\r\n') <> '' GROUP BY 1
    UNION ALL SELECT supplier_id, 'documents', 0, count(*) FROM historical_statements JOIN accounts ON id = account_id
        WHERE btrim(statement_path, E' \t\r\n') <> '' GROUP BY 1
    UNION ALL SELECT supplier_id, format('%s of accounts that are %s', f.name, state), f.kept, 0
    FROM (SELECT supplier_id, state, sent_high, sent_units, sent_fraction, sent_readings, sent_transactions, sent_documents FROM process_counts
        UNION ALL SELECT supplier_id, state, sent_high, sent_units, sent_fraction, sent_readings, sent_transactions, sent_documents FROM process_changes) AS c
    CROSS JOIN LATERAL (VALUES ('sent_high', sent_high), ('sent_units', sent_units), ('sent_fraction', sent_fraction),
        ('sent_readings', sent_readings), ('sent_transactions', sent_transactions), ('sent_documents', sent_documents)) AS f (name, kept)
    UNION ALL SELECT supplier_id, format('%s of accounts that are %s', f.name, state), 0, sum(f.found)
    FROM processes
    CROSS JOIN LATERAL (VALUES ('sent_high', sent_high), ('sent_units', sent_units), ('sent_fraction', sent_fraction),
        ('sent_readings', sent_readings), ('sent_transactions', sent_transactions), ('sent_documents', sent_documents)) AS f (name, found)
    GROUP BY supplier_id, f.name, state
    UNION ALL SELECT supplier_id, format('rows of table %s that were %s', t.place, CASE WHEN is_sent THEN 'sent' ELSE 'imported' END),
        kept * t.number::NUMERIC, found * t.number::NUMERIC
    FROM (SELECT supplier_id, is_sent, counts, 1 AS kept, 0 AS found FROM row_counts
        UNION ALL SELECT supplier_id, is_sent, counts, times, 0 FROM row_changes
        UNION ALL SELECT supplier_id, TRUE, rows_sent(state, sent_rows), 0, 1 FROM processes
        UNION ALL SELECT supplier_id, FALSE, total_rows, 0, 1 FROM accounts) AS r
    CROSS JOIN LATERAL unnest(string_to_array(counts, ',', '')) WITH ORDINALITY AS t (number, place)
    WHERE t.number IS NOT NULL
), outcomes (run_id, state, kept, found) AS (
    SELECT run_id, e.pair->>0, (e.pair->>1)::NUMERIC, 0 FROM run_figures, json_array_elements(figures::JSON->'states') AS e (pair)
    UNION ALL SELECT run_id, state, 0, count(*) FROM run_outcomes GROUP BY 1, 2
    UNION ALL SELECT run_id, 'REFUSED', coalesce((figures::JSON->>'refused')::NUMERIC, 0), 0 FROM run_figures
    UNION ALL SELECT run_id, 'REFUSED', 0, count(*) FROM run_refusals GROUP BY 1
), figures (supplier_id, what) AS (
    SELECT supplier_id, format('%s processes are kept as %s, and there are %s', sum(kept),
        concat_ws(' ', state, nullif(error_code, '')), sum(found))
    FROM states GROUP BY supplier_id, state, error_code HAVING sum(kept) <> sum(found)
    UNION ALL
    SELECT supplier_id, format('%s processes are kept as %s in %s, and there are %s', sum(kept), state, minute, sum(found))
    FROM minutes GROUP BY supplier_id, minute, state HAVING sum(kept) <> sum(found)
    UNION ALL
    SELECT supplier_id, format('%s accounts are kept and %s are listed with the %s %s, and there are %s', sum(kept),
        sum(listed), level, concat_ws(' at ', code, nullif(attr, '')), sum(found))
    FROM causes GROUP BY supplier_id, level, code, attr HAVING sum(kept) <> sum(found) OR sum(listed) <> sum(found)
    UNION ALL
    SELECT supplier_id, format('%s processes have failed without a cause, or have not and have one', count(*))
    FROM processes WHERE (error_code IS NULL) <> (error_causes IS NULL) GROUP BY supplier_id
    UNION ALL
    SELECT supplier_id, format('%s are kept as %s, and come to %s', name, trim_scale(sum(kept)), trim_scale(sum(found)))
    FROM sums GROUP BY supplier_id, name HAVING sum(kept) <> sum(found)
    UNION ALL
    SELECT r.supplier_id, format('%s accounts of the run %s are kept as %s, and there are %s', sum(kept), r.name, state, sum(found))
    FROM outcomes JOIN runs r ON r.id = run_id GROUP BY r.supplier_id, r.name, state HAVING sum(kept) <> sum(found)
), rows (owners, owner, what) AS (
    :gaps
    UNION ALL
    :orphans
)
SELECT 'I1' AS invariant, supplier, number, 'was accepted, and has no process' AS what FROM accepted a
WHERE NOT EXISTS (SELECT FROM known k WHERE (k.supplier, k.external_account_number) = (a.supplier, a.number))
UNION ALL
SELECT invariant, supplier, number, what FROM single
UNION ALL
SELECT 'I4', k.supplier, k.external_account_number, format('at version %s it was %s, and then %s', u.version, u.event, u.next)
FROM undone u JOIN known k ON k.id = u.process_id
WHERE EXISTS (SELECT FROM entries h WHERE h.process_id = u.process_id AND h.undone IS NOT NULL)
UNION ALL
SELECT 'I4', k.supplier, k.external_account_number, 'has the number of an account that was undone'
FROM retired_numbers r JOIN known k ON k.service_account_number = r.number
UNION ALL
SELECT 'I3', k.supplier, k.external_account_number, 'was erased, and is there'
FROM audit_trail t JOIN known k ON k.id = t.process_id WHERE t.action = 'account.erase'
UNION ALL
SELECT 'I2', s.code, r.external_account_number, r.what FROM repeated r LEFT JOIN suppliers s ON s.id = r.supplier_id
UNION ALL
SELECT 'I3', coalesce(k.supplier, s.code), coalesce(k.external_account_number, b.external_identifier), r.what
FROM rows r
LEFT JOIN known k ON r.owners = 'processes' AND k.id = r.owner
LEFT JOIN businesses b ON r.owners = 'businesses' AND b.id = r.owner
LEFT JOIN suppliers s ON s.id = b.supplier_id
UNION ALL
SELECT 'I6', s.code, NULL, f.what FROM figures f LEFT JOIN suppliers s ON s.id = f.supplier_id
ORDER BY 1, 2, 3, 4;

SELECT :ROW_COUNT > 0 AS is_broken
\gset
\if :is_broken
    DO $$ BEGIN RAISE EXCEPTION 'the invariants do not hold'; END $$;
\endif
