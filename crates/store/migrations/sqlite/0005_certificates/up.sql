-- Certificates (decision 0050), and what they certify of each account.

-- The hash of the accepted payload's content; null: it was accepted by a version that kept none.
ALTER TABLE processes ADD COLUMN content BLOB;

-- The control totals of the account, with what was added since; null: it was imported by a version that kept none.
ALTER TABLE accounts ADD COLUMN total_balance TEXT;
ALTER TABLE accounts ADD COLUMN total_readings INTEGER;
ALTER TABLE accounts ADD COLUMN total_transactions INTEGER;
ALTER TABLE accounts ADD COLUMN total_documents INTEGER;

-- Hashes of the content of what was added to accounts, and how often it was.
CREATE TABLE account_additions (
    account_id INTEGER NOT NULL,
    content BLOB NOT NULL CHECK (length(content) = 32),
    copies INTEGER NOT NULL,
    PRIMARY KEY (account_id, content)
) STRICT, WITHOUT ROWID;

CREATE TABLE certificate_keys (
    key_id TEXT PRIMARY KEY NOT NULL,
    public_key BLOB NOT NULL CHECK (length(public_key) = 32),
    secret BLOB NOT NULL, -- sealed, if there is an encryption key
    created_at INTEGER NOT NULL,
    retired_at INTEGER
) STRICT, WITHOUT ROWID;

-- A certificate without its document is being issued, or its issue was interrupted.
CREATE TABLE certificates (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    supplier_id INTEGER NOT NULL REFERENCES suppliers (id),
    begun_at INTEGER NOT NULL,
    document TEXT, -- as signed
    has_leaves INTEGER NOT NULL CHECK (has_leaves IN (0, 1))
) STRICT;
CREATE INDEX certificates_of_supplier ON certificates (supplier_id, id);

-- The leaves of a certificate, 1,024 each in a complete subtree. It is found by the smallest account number that is left
-- in it; null: none is.
CREATE TABLE certificate_subtrees (
    certificate_id INTEGER NOT NULL REFERENCES certificates (id),
    position INTEGER NOT NULL,
    first_number TEXT,
    root BLOB NOT NULL CHECK (length(root) = 32),
    leaves BLOB NOT NULL, -- lines of JSON, compressed
    PRIMARY KEY (certificate_id, position)
) STRICT;
CREATE INDEX certificate_subtrees_by_number ON certificate_subtrees (certificate_id, first_number);

-- Accounts that were erased while a certificate was being issued.
CREATE TABLE certificate_erasures (
    certificate_id INTEGER NOT NULL REFERENCES certificates (id),
    external_account_number TEXT NOT NULL,
    PRIMARY KEY (certificate_id, external_account_number)
) STRICT, WITHOUT ROWID;
