-- What is added to accounts after their import, businesses, and the lists of version 1.

-- Rows of one transaction, or one note, are found by its key and numbered from 0 within it: to add some
-- needs no look at the others of the account.

ALTER TABLE line_items RENAME TO line_items_before;
CREATE TABLE line_items (
    account_id INTEGER NOT NULL,
    txn INTEGER NOT NULL,
    position INTEGER NOT NULL,
    rate_band TEXT,
    start_date TEXT NOT NULL,
    end_date TEXT NOT NULL,
    number_of_units TEXT NOT NULL,
    net_amount TEXT NOT NULL,
    price_per_unit TEXT,
    details TEXT,
    PRIMARY KEY (account_id, txn, position),
    FOREIGN KEY (account_id, txn) REFERENCES transactions (account_id, position)
) STRICT, WITHOUT ROWID;
INSERT INTO line_items SELECT account_id, txn,
    row_number() OVER (PARTITION BY account_id, txn ORDER BY position) - 1,
    rate_band, start_date, end_date, number_of_units, net_amount, price_per_unit, details
    FROM line_items_before;
DROP TABLE line_items_before;

ALTER TABLE tax_items RENAME TO tax_items_before;
CREATE TABLE tax_items (
    account_id INTEGER NOT NULL,
    txn INTEGER NOT NULL,
    position INTEGER NOT NULL,
    amount TEXT NOT NULL,
    tax_type TEXT NOT NULL,
    value_taxed TEXT NOT NULL,
    rate TEXT NOT NULL,
    unit_type TEXT NOT NULL,
    PRIMARY KEY (account_id, txn, position),
    FOREIGN KEY (account_id, txn) REFERENCES transactions (account_id, position)
) STRICT, WITHOUT ROWID;
INSERT INTO tax_items SELECT account_id, txn,
    row_number() OVER (PARTITION BY account_id, txn ORDER BY position) - 1,
    amount, tax_type, value_taxed, rate, unit_type
    FROM tax_items_before;
DROP TABLE tax_items_before;

ALTER TABLE note_documents RENAME TO note_documents_before;
CREATE TABLE note_documents (
    account_id INTEGER NOT NULL,
    note INTEGER NOT NULL,
    position INTEGER NOT NULL,
    document_path TEXT NOT NULL,
    PRIMARY KEY (account_id, note, position),
    FOREIGN KEY (account_id, note) REFERENCES notes (account_id, position)
) STRICT, WITHOUT ROWID;
INSERT INTO note_documents SELECT account_id, note,
    row_number() OVER (PARTITION BY account_id, note ORDER BY position) - 1,
    document_path
    FROM note_documents_before;
DROP TABLE note_documents_before;

-- The date that was sent, where the transaction was moved into the open period.
ALTER TABLE transactions ADD COLUMN sent_date TEXT;

DROP INDEX notes_by_content;
CREATE INDEX notes_by_content ON notes (account_id, content_hash, created_at);

-- The open period may begin with the supply.
CREATE INDEX meter_points_by_start ON meter_points (account_id, supply_start_date);

-- The lists of version 1, in their order; that of both reads the two side by side.
CREATE INDEX processes_imported ON processes (supplier_id, created_at, id) WHERE state = 'PROCESSED';
CREATE INDEX processes_unimported ON processes (supplier_id, created_at, id)
    WHERE state NOT IN ('PROCESSED', 'CANCELLED');

CREATE TABLE historical_statements (
    account_id INTEGER NOT NULL REFERENCES accounts (id),
    position INTEGER NOT NULL,
    statement_id TEXT NOT NULL,
    bill_period_from_date TEXT NOT NULL,
    bill_period_to_date TEXT NOT NULL,
    issued_date TEXT,
    number TEXT,
    gross_amount TEXT,
    statement_path TEXT,
    fingerprint BLOB NOT NULL CHECK (length(fingerprint) = 32),
    added_at INTEGER NOT NULL,
    PRIMARY KEY (account_id, position),
    UNIQUE (account_id, statement_id)
) STRICT, WITHOUT ROWID;

-- Those that a payment vendor confirmed after the import; vendors and references are trimmed.
CREATE TABLE account_instructions (
    account_id INTEGER NOT NULL REFERENCES accounts (id),
    position INTEGER NOT NULL,
    vendor TEXT NOT NULL,
    type TEXT NOT NULL,
    reference TEXT NOT NULL,
    details TEXT NOT NULL, -- what the vendor shows
    verified_at INTEGER NOT NULL,
    PRIMARY KEY (account_id, position),
    UNIQUE (account_id, vendor, type, reference)
) STRICT, WITHOUT ROWID;

CREATE TABLE businesses (
    id INTEGER PRIMARY KEY AUTOINCREMENT, -- its number, which is never given twice
    organisation_id INTEGER NOT NULL REFERENCES organisations (id),
    supplier_id INTEGER NOT NULL REFERENCES suppliers (id),
    external_identifier TEXT NOT NULL,
    business_type TEXT,
    company_number TEXT,
    company_name TEXT,
    fingerprint BLOB NOT NULL CHECK (length(fingerprint) = 32),
    created_at INTEGER NOT NULL,
    UNIQUE (organisation_id, external_identifier)
) STRICT;
CREATE INDEX businesses_of_supplier ON businesses (supplier_id);

CREATE TABLE business_details (
    business_id INTEGER NOT NULL REFERENCES businesses (id),
    position INTEGER NOT NULL,
    key TEXT NOT NULL,
    value TEXT NOT NULL,
    PRIMARY KEY (business_id, position)
) STRICT, WITHOUT ROWID;

CREATE TABLE business_contracts (
    business_id INTEGER NOT NULL REFERENCES businesses (id),
    position INTEGER NOT NULL,
    organisation_id INTEGER NOT NULL REFERENCES organisations (id),
    identifier TEXT NOT NULL,
    valid_from_date TEXT NOT NULL,
    signed_at_date TEXT NOT NULL,
    PRIMARY KEY (business_id, position),
    UNIQUE (organisation_id, identifier)
) STRICT, WITHOUT ROWID;

CREATE TABLE business_contract_versions (
    business_id INTEGER NOT NULL,
    contract INTEGER NOT NULL,
    position INTEGER NOT NULL,
    applicable_at_date TEXT NOT NULL,
    terms TEXT NOT NULL, -- a JSON array, to the byte as it was sent
    PRIMARY KEY (business_id, contract, position),
    FOREIGN KEY (business_id, contract) REFERENCES business_contracts (business_id, position)
) STRICT, WITHOUT ROWID;

CREATE TABLE business_instructions (
    business_id INTEGER NOT NULL REFERENCES businesses (id),
    position INTEGER NOT NULL,
    vendor TEXT NOT NULL,
    type TEXT NOT NULL,
    reference TEXT NOT NULL,
    details TEXT NOT NULL, -- what the vendor shows
    verified_at INTEGER NOT NULL,
    PRIMARY KEY (business_id, position),
    UNIQUE (business_id, vendor, type, reference)
) STRICT, WITHOUT ROWID;

CREATE TABLE business_instruction_accounts (
    business_id INTEGER NOT NULL,
    instruction INTEGER NOT NULL,
    account_id INTEGER NOT NULL REFERENCES accounts (id),
    PRIMARY KEY (business_id, instruction, account_id),
    FOREIGN KEY (business_id, instruction) REFERENCES business_instructions (business_id, position)
) STRICT, WITHOUT ROWID;
CREATE INDEX business_instructions_of_account ON business_instruction_accounts (account_id);

CREATE TABLE payment_vendors (
    name TEXT PRIMARY KEY NOT NULL,
    kind TEXT NOT NULL CHECK (kind IN ('http', 'stripe', 'gocardless')),
    base_url TEXT NOT NULL,
    secret_env TEXT, -- the variable that holds the secret; the secret is stored nowhere
    created_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
