-- What imported accounts come to: their number, the sum of their ledgers' balances, rows of theirs. It is what was folded
-- and the changes since. Sums are made by the program, exactly, as everything that is done with money.

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
CREATE INDEX total_changes_of_supplier ON total_changes (supplier_id);

INSERT INTO total_changes (supplier_id, accounts, ledger_balance, readings, transactions, documents)
    SELECT supplier_id, sum(accounts), '0', sum(readings), sum(transactions), sum(documents) FROM (
        SELECT supplier_id, count(*) AS accounts, 0 AS readings, 0 AS transactions, 0 AS documents
        FROM accounts GROUP BY 1
        UNION ALL
        SELECT supplier_id, 0, count(*), 0, 0 FROM readings JOIN accounts ON id = account_id GROUP BY 1
        UNION ALL
        SELECT supplier_id, 0, 0, count(*), 0 FROM transactions JOIN accounts ON id = account_id GROUP BY 1
        UNION ALL
        SELECT supplier_id, 0, 0, 0, count(*) FROM note_documents JOIN accounts ON id = account_id GROUP BY 1
        UNION ALL
        SELECT supplier_id, 0, 0, 0, count(*) FROM statements JOIN accounts ON id = account_id
        WHERE trim(statement_path, char(32, 9, 13, 10)) <> '' GROUP BY 1
        UNION ALL
        SELECT supplier_id, 0, 0, 0, count(*) FROM historical_statements JOIN accounts ON id = account_id
        WHERE trim(statement_path, char(32, 9, 13, 10)) <> '' GROUP BY 1
    )
    GROUP BY supplier_id;
-- Balances are added up by the program, when changes are folded: each is a change.
INSERT INTO total_changes (supplier_id, accounts, ledger_balance, readings, transactions, documents)
    SELECT supplier_id, 0, balance, 0, 0, 0 FROM ledgers JOIN accounts ON id = account_id WHERE balance IS NOT NULL;
