-- Times are microseconds since 1970 in UTC, days YYYY-MM-DD, booleans 0 and 1. Money and readings are
-- text with the digits that were sent: no column is a floating point number. `details` holds, as one
-- JSON object, the members of the payload that nobody joins on.

CREATE TABLE organisations (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    created_at INTEGER NOT NULL,
    revoked_at INTEGER
) STRICT;

CREATE TABLE api_keys (
    id INTEGER PRIMARY KEY,
    organisation_id INTEGER NOT NULL REFERENCES organisations (id),
    prefix TEXT NOT NULL UNIQUE,
    hash BLOB NOT NULL UNIQUE CHECK (length(hash) = 32),
    role TEXT NOT NULL CHECK (role IN ('supplier', 'reader', 'operator')),
    created_at INTEGER NOT NULL,
    revoked_at INTEGER
) STRICT;
CREATE INDEX api_keys_of_organisation ON api_keys (organisation_id);

CREATE TABLE refresh_tokens (
    hash BLOB PRIMARY KEY NOT NULL CHECK (length(hash) = 32),
    family INTEGER NOT NULL,
    api_key_id INTEGER NOT NULL REFERENCES api_keys (id),
    expires_at INTEGER NOT NULL,
    used_at INTEGER
) STRICT, WITHOUT ROWID;
CREATE INDEX refresh_tokens_of_family ON refresh_tokens (family);
CREATE INDEX refresh_tokens_of_api_key ON refresh_tokens (api_key_id);
CREATE INDEX refresh_tokens_by_expiry ON refresh_tokens (expires_at);

CREATE TABLE signing_keys (
    kid TEXT PRIMARY KEY NOT NULL,
    secret BLOB NOT NULL CHECK (length(secret) >= 32),
    created_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- The processes that serve now. Each writes its row every few seconds, and no other table refers to it.
CREATE TABLE nodes (
    id TEXT PRIMARY KEY NOT NULL,
    role TEXT NOT NULL,
    version TEXT NOT NULL,
    encryption_keys TEXT NOT NULL,
    started_at INTEGER NOT NULL,
    seen_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Which installation this is: drawn at random with the database, and kept by backups.
CREATE TABLE installation (
    id TEXT PRIMARY KEY NOT NULL
) STRICT, WITHOUT ROWID;
INSERT INTO installation VALUES (lower(hex(randomblob(16))));

CREATE TABLE suppliers (
    -- Not used again: the audit trail names suppliers that were erased.
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    organisation_id INTEGER NOT NULL REFERENCES organisations (id),
    code TEXT NOT NULL UNIQUE,
    status TEXT NOT NULL CHECK (status IN ('Ongoing', 'Paused', 'Complete')),
    document_root TEXT NOT NULL,
    verify_documents INTEGER NOT NULL CHECK (verify_documents IN (0, 1)),
    send_customer_emails INTEGER NOT NULL CHECK (send_customer_emails IN (0, 1)),
    dry_run INTEGER NOT NULL CHECK (dry_run IN (0, 1)),
    max_concurrent_imports INTEGER CHECK (max_concurrent_imports >= 0),
    time_zone TEXT NOT NULL,
    rules TEXT, -- {"PIN-01": "off"}; null: none is set otherwise than by default
    created_at INTEGER NOT NULL,
    -- Grows with each change of a setting: what was decided by settings kept in memory is held against it.
    revision INTEGER NOT NULL DEFAULT 0,
    waves TEXT, -- 100,5000,rest; null: none
    hold_on_errors TEXT -- 1/200; null: none
) STRICT;
CREATE INDEX suppliers_of_organisation ON suppliers (organisation_id);

-- Suppliers with gates, or held: what decides if their accounts may be claimed. Steps that claim or end accounts of such
-- a supplier lock its row and count in it, once a transaction.
CREATE TABLE supplier_gates (
    supplier_id INTEGER PRIMARY KEY NOT NULL REFERENCES suppliers (id),
    wave INTEGER NOT NULL, -- from 1; 0: none has begun
    wave_size INTEGER, -- accounts that it may claim; null: all
    claimed INTEGER NOT NULL,
    ended INTEGER NOT NULL, -- since the last release
    failed INTEGER NOT NULL,
    error_limit INTEGER,
    error_window INTEGER,
    recent BLOB, -- a bit for each account of the window: whether it failed
    held_by TEXT, -- null: not held
    held_since INTEGER,
    held_wave INTEGER,
    held_ended INTEGER,
    held_failed INTEGER,
    held_window INTEGER,
    held_because TEXT
) STRICT;

-- Accounts that the running wave of a supplier has claimed.
CREATE TABLE wave_accounts (
    process_id INTEGER PRIMARY KEY NOT NULL,
    supplier_id INTEGER NOT NULL REFERENCES suppliers (id),
    is_open INTEGER NOT NULL CHECK (is_open IN (0, 1)) -- until the account ends
) STRICT;
CREATE INDEX wave_accounts_of_supplier ON wave_accounts (supplier_id, is_open, process_id);

CREATE TABLE processes (
    id INTEGER PRIMARY KEY,
    supplier_id INTEGER NOT NULL REFERENCES suppliers (id),
    external_account_number TEXT NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('PENDING', 'IN_PROGRESS', 'CANCELLED', 'PROCESSED',
        'DRY_RUN_SUCCEEDED', 'ERRORED', 'DRY_RUN_ERRORED')),
    attempt INTEGER NOT NULL CHECK (attempt >= 0),
    tries INTEGER NOT NULL CHECK (tries BETWEEN 0 AND attempt),
    version INTEGER NOT NULL CHECK (version >= 1),
    is_dry_run INTEGER NOT NULL CHECK (is_dry_run IN (0, 1)),
    window_start INTEGER,
    window_end INTEGER,
    due_at INTEGER NOT NULL,
    lease_until INTEGER,
    created_at INTEGER NOT NULL,
    modified_at INTEGER NOT NULL CHECK (modified_at >= created_at),
    latest_event_at INTEGER NOT NULL CHECK (latest_event_at >= created_at),
    error_code TEXT,
    error_detail TEXT,
    service_account_number TEXT,
    fingerprint BLOB NOT NULL CHECK (length(fingerprint) = 32),
    issues TEXT, -- null: none
    -- The errors and the warnings that it is counted by: [[code, path pattern, rank among those of its code], …].
    -- Each step writes them; triggers keep process_causes. Null: none.
    error_causes TEXT,
    warning_causes TEXT,
    archived_at INTEGER, -- when payload and history were moved to an archive; null: they are here
    failing_since INTEGER, -- since when outages alone have failed it; null: it is in none
    failing_tries INTEGER, -- how many attempts those were
    UNIQUE (supplier_id, external_account_number),
    CHECK ((lease_until IS NOT NULL) = (state = 'IN_PROGRESS')),
    CHECK ((error_code IS NOT NULL) = (state IN ('ERRORED', 'DRY_RUN_ERRORED'))),
    CHECK ((error_detail IS NULL) = (error_code IS NULL)),
    CHECK ((service_account_number IS NOT NULL) = (state = 'PROCESSED'))
) STRICT;
CREATE INDEX processes_by_creation ON processes (supplier_id, created_at, id);
-- What workers and the sweep look for; the many that have ended are in none of these.
CREATE INDEX processes_pending ON processes (supplier_id, due_at, id) WHERE state = 'PENDING';
CREATE INDEX processes_windows ON processes (supplier_id, window_end)
    WHERE state = 'PENDING' AND window_end IS NOT NULL;
CREATE INDEX processes_leases ON processes (supplier_id, lease_until, id) WHERE state = 'IN_PROGRESS';
-- Lists of one state, each in an index of its own: it reads that state alone, however many there are of others.
CREATE INDEX processes_listed_pending ON processes (supplier_id, created_at, id) WHERE state = 'PENDING';
CREATE INDEX processes_running ON processes (supplier_id, created_at, id) WHERE state = 'IN_PROGRESS';
CREATE INDEX processes_imported ON processes (supplier_id, created_at, id) WHERE state = 'PROCESSED';
CREATE INDEX processes_cancelled ON processes (supplier_id, created_at, id) WHERE state = 'CANCELLED';
CREATE INDEX processes_dry_run_succeeded ON processes (supplier_id, created_at, id) WHERE state = 'DRY_RUN_SUCCEEDED';
CREATE INDEX processes_dry_run_errored ON processes (supplier_id, created_at, id) WHERE state = 'DRY_RUN_ERRORED';
CREATE INDEX processes_errored ON processes (supplier_id, created_at, id) WHERE state = 'ERRORED';
-- The pending list of version 1 merges this with those that wait and those that run: to merge all states takes a third
-- longer. States of newer versions are in it.
CREATE INDEX processes_without_account ON processes (supplier_id, created_at, id)
    WHERE state NOT IN ('PENDING', 'IN_PROGRESS', 'PROCESSED', 'CANCELLED');

-- Why accounts failed and what they were warned of, a row for each code and path pattern of an account. Triggers
-- write it; the reference to processes is not declared, as rows come and go with steps.
CREATE TABLE process_causes (
    process_id INTEGER NOT NULL,
    level TEXT NOT NULL,
    code TEXT NOT NULL,
    attr TEXT NOT NULL, -- the pattern; '': about no part of the payload
    supplier_id INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    rank INTEGER NOT NULL, -- 0: the first row of its account with this code
    PRIMARY KEY (process_id, level, code, attr)
) STRICT, WITHOUT ROWID;
-- Lists by code have each account once; examples have the pattern as well.
CREATE INDEX process_causes_by_code ON process_causes (supplier_id, level, code, created_at, process_id) WHERE rank = 0;
CREATE INDEX process_causes_by_pattern ON process_causes (supplier_id, level, code, attr, created_at, process_id);

-- The last refused create of each account that was not accepted since, with the codes and the paths of its faults and
-- nothing else of its payload. Rows of one supplier are written under the lock of its row of refused_totals.
-- That row refers to the supplier; checking a reference here would cost as much as the rest of a row.
CREATE TABLE refused_creates (
    supplier_id INTEGER NOT NULL,
    external_account_number TEXT NOT NULL,
    refused_at INTEGER NOT NULL,
    causes TEXT NOT NULL, -- [{"code": "required", "attr": "customers.#.email"}]
    PRIMARY KEY (supplier_id, external_account_number)
) STRICT, WITHOUT ROWID;
CREATE INDEX refused_creates_by_age ON refused_creates (supplier_id, refused_at, external_account_number);

CREATE TABLE refused_totals (
    supplier_id INTEGER PRIMARY KEY NOT NULL REFERENCES suppliers (id),
    accounts INTEGER NOT NULL,
    without_number INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- How many of them have a cause.
CREATE TABLE refused_causes (
    supplier_id INTEGER NOT NULL REFERENCES suppliers (id),
    code TEXT NOT NULL,
    attr TEXT NOT NULL,
    accounts INTEGER NOT NULL,
    PRIMARY KEY (supplier_id, code, attr)
) STRICT, WITHOUT ROWID;

CREATE TABLE payloads (
    process_id INTEGER PRIMARY KEY,
    payload BLOB NOT NULL -- the accepted bytes, compressed with zstd
) STRICT;

-- The last attempt before the current one that had a result, with its payload. An operator compares the two. It is
-- removed when the account is imported, archived or erased.
CREATE TABLE previous_attempts (
    process_id INTEGER PRIMARY KEY NOT NULL REFERENCES processes (id),
    attempt INTEGER NOT NULL CHECK (attempt >= 0),
    state TEXT NOT NULL,
    ended_at INTEGER NOT NULL,
    error_code TEXT,
    error_detail TEXT,
    issues TEXT, -- null: none
    payload BLOB NOT NULL, -- as in payloads, sealed for the same place
    CHECK ((error_detail IS NULL) = (error_code IS NULL))
) STRICT;

CREATE TABLE process_history (
    process_id INTEGER NOT NULL,
    version INTEGER NOT NULL CHECK (version >= 1),
    event TEXT NOT NULL,
    from_state TEXT,
    to_state TEXT NOT NULL,
    occurred_at INTEGER NOT NULL,
    attempt INTEGER NOT NULL CHECK (attempt >= 0),
    actor TEXT NOT NULL,
    PRIMARY KEY (process_id, version),
    CHECK ((from_state IS NULL) = (version = 1))
) STRICT, WITHOUT ROWID;

-- Bulk operations, which are worked off in batches. Times and keys of the last process that a job has come to are its
-- position. It refers to no organisation or supplier by declaration: a row outlives what it tells of.
CREATE TABLE jobs (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    kind TEXT NOT NULL,
    organisation_id INTEGER NOT NULL,
    supplier_id INTEGER NOT NULL,
    supplier TEXT NOT NULL,
    actor TEXT NOT NULL,
    status TEXT, -- of the processes; null: those that the operation begins from
    error_code TEXT,
    changed_before INTEGER,
    imported_since INTEGER, -- of an undo
    is_list INTEGER NOT NULL CHECK (is_list IN (0, 1)), -- of the processes in job_items
    created_at INTEGER NOT NULL,
    state TEXT NOT NULL,
    ended_at INTEGER,
    matched INTEGER NOT NULL,
    changed INTEGER NOT NULL,
    skipped INTEGER NOT NULL,
    failed INTEGER NOT NULL, -- of an undo
    removed TEXT, -- of an erasure: {"accounts": 12, …}, rows by table
    part INTEGER NOT NULL,
    position_at INTEGER,
    position_id INTEGER NOT NULL,
    due_at INTEGER, -- of a running job: the time from which it may be claimed, which is the end of its lease
    claim INTEGER NOT NULL,
    version INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX jobs_of_organisation ON jobs (organisation_id, id);
CREATE INDEX jobs_of_supplier ON jobs (supplier_id, id);
CREATE INDEX jobs_due ON jobs (due_at, id) WHERE due_at IS NOT NULL;

-- Processes of a job that names each of them, until it has ended.
CREATE TABLE job_items (
    job_id INTEGER NOT NULL REFERENCES jobs (id),
    item_id INTEGER NOT NULL,
    PRIMARY KEY (job_id, item_id)
) STRICT, WITHOUT ROWID;

-- The feed: what happened, for other systems to read in order. Keys count the events of an organisation.
CREATE TABLE feed_events (
    organisation_id INTEGER NOT NULL,
    written_in INTEGER NOT NULL, -- 0: transactions run one after another
    id INTEGER NOT NULL,
    kind TEXT NOT NULL,
    occurred_at INTEGER NOT NULL,
    supplier TEXT NOT NULL,
    external_account_number TEXT,
    service_account_number TEXT,
    attempt INTEGER,
    data TEXT,
    PRIMARY KEY (organisation_id, written_in, id)
) STRICT, WITHOUT ROWID;

-- The last expired event of each organisation.
CREATE TABLE feed_expiries (
    organisation_id INTEGER PRIMARY KEY,
    written_in INTEGER NOT NULL,
    id INTEGER NOT NULL
) STRICT;

-- Used on PostgreSQL only.
CREATE TABLE feed_origin (
    transactions_before INTEGER PRIMARY KEY
) STRICT;
INSERT INTO feed_origin VALUES (0);

-- Webhooks: each is a reader of the feed, and has deliveries up to its position. A removed one stays until its deliveries
-- are removed.
CREATE TABLE webhooks (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    organisation_id INTEGER NOT NULL REFERENCES organisations (id),
    url TEXT NOT NULL,
    types TEXT, -- separated by commas; null: all
    created_at INTEGER NOT NULL,
    disabled_at INTEGER,
    disabled_reason TEXT,
    disabled_detail TEXT,
    written_in INTEGER NOT NULL,
    event_id INTEGER NOT NULL,
    -- Events up to this position are delivered again if they occurred at that time or later.
    replay_since INTEGER,
    replay_written_in INTEGER,
    replay_event_id INTEGER,
    missed_at INTEGER,
    removed_at INTEGER,
    version INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX webhooks_of_organisation ON webhooks (organisation_id);

CREATE TABLE webhook_secrets (
    webhook_id INTEGER NOT NULL REFERENCES webhooks (id),
    position INTEGER NOT NULL,
    secret TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    expires_at INTEGER,
    PRIMARY KEY (webhook_id, position)
) STRICT, WITHOUT ROWID;

-- An open delivery has a time from which it may be claimed; that of a claimed one is the end of its lease. References to
-- webhooks and events are not declared: rows are added and removed in great numbers.
CREATE TABLE webhook_deliveries (
    webhook_id INTEGER NOT NULL,
    written_in INTEGER NOT NULL,
    event_id INTEGER NOT NULL,
    kind TEXT NOT NULL,
    occurred_at INTEGER NOT NULL,
    state TEXT NOT NULL,
    attempts INTEGER NOT NULL,
    first_attempt_at INTEGER,
    due_at INTEGER,
    claim INTEGER NOT NULL,
    status INTEGER,
    failure TEXT,
    answer BLOB,
    attempted_at INTEGER,
    PRIMARY KEY (webhook_id, written_in, event_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX webhook_deliveries_due ON webhook_deliveries (webhook_id, due_at) WHERE due_at IS NOT NULL;

-- Imported accounts. The key of an account is that of its process. A row that belongs to an account has the account and a
-- position as its key: rows of a table are numbered from 0 in the order of the payload, over the whole account, and
-- rows that are added later follow. So children name their parents before anything is written. Rows of one
-- transaction, or one note, are found by its key and numbered within it, so that adding some reads none of the others.
-- References between these rows are not declared: see docs/decisions/0031-rows-of-an-account.md.

CREATE TABLE accounts (
    id INTEGER PRIMARY KEY REFERENCES processes (id),
    supplier_id INTEGER NOT NULL REFERENCES suppliers (id),
    external_account_number TEXT NOT NULL,
    number TEXT NOT NULL UNIQUE,
    customer_emails INTEGER NOT NULL CHECK (customer_emails IN (0, 1)),
    imported_at INTEGER NOT NULL,
    communication_preference TEXT,
    billing_name TEXT,
    transfer_balance TEXT,
    last_billed_to_date TEXT,
    business_contract_identifier TEXT,
    details TEXT,
    added_at INTEGER, -- when something was first added since the import; null: the account is as it was imported
    billed_at INTEGER, -- when another system reported that it has billed the account
    UNIQUE (supplier_id, external_account_number)
) STRICT;
-- Import order.
CREATE INDEX accounts_by_import ON accounts (supplier_id, imported_at, id);

-- Numbers of accounts whose import was undone. None is given again, and nothing else of such an account is kept here.
CREATE TABLE retired_numbers (
    number TEXT PRIMARY KEY NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE customers (
    account_id INTEGER NOT NULL,
    position INTEGER NOT NULL,
    given_name TEXT,
    family_name TEXT,
    email TEXT,
    mobile TEXT,
    landline TEXT,
    date_of_birth TEXT,
    details TEXT,
    PRIMARY KEY (account_id, position)
) STRICT, WITHOUT ROWID;

CREATE TABLE supply_addresses (
    account_id INTEGER NOT NULL,
    position INTEGER NOT NULL,
    administrative_area TEXT NOT NULL,
    locality TEXT NOT NULL,
    postal_code TEXT NOT NULL,
    country TEXT NOT NULL,
    is_landlord INTEGER CHECK (is_landlord IN (0, 1)),
    customer_from TEXT NOT NULL,
    details TEXT, -- of the address
    PRIMARY KEY (account_id, position)
) STRICT, WITHOUT ROWID;

CREATE TABLE property_administrators (
    account_id INTEGER NOT NULL,
    position INTEGER NOT NULL,
    supply_address INTEGER NOT NULL,
    given_name TEXT,
    family_name TEXT,
    email TEXT,
    mobile TEXT,
    landline TEXT,
    PRIMARY KEY (account_id, position)
) STRICT, WITHOUT ROWID;

CREATE TABLE meter_points (
    account_id INTEGER NOT NULL,
    position INTEGER NOT NULL,
    supply_address INTEGER NOT NULL,
    organisation_id INTEGER NOT NULL,
    mpxn TEXT NOT NULL,
    supply_type TEXT NOT NULL CHECK (supply_type IN ('ELECTRICITY', 'GAS', 'UNMETERED_ELECTRICITY',
        'UNMETERED_GAS', 'EMBEDDED_ELECTRICITY', 'EMBEDDED_GAS', 'EMBEDDED_WATER')),
    supply_start_date TEXT NOT NULL,
    supply_end_date TEXT,
    details TEXT,
    PRIMARY KEY (account_id, position)
) STRICT, WITHOUT ROWID;
-- The last entry of a meter point is that of the account which has it for longest: one entry tells whether it is
-- taken, however many accounts have it.
CREATE INDEX meter_points_by_mpxn ON meter_points (organisation_id, mpxn, supply_end_date, account_id);
-- The open period may begin with the supply.
CREATE INDEX meter_points_by_start ON meter_points (account_id, supply_start_date);

CREATE TABLE agreements (
    account_id INTEGER NOT NULL,
    position INTEGER NOT NULL,
    meter_point INTEGER NOT NULL,
    tariff_code TEXT NOT NULL,
    effective_from TEXT NOT NULL,
    effective_to TEXT,
    agreed_at INTEGER,
    business_contract_identifier TEXT,
    PRIMARY KEY (account_id, position)
) STRICT, WITHOUT ROWID;

CREATE TABLE meters (
    account_id INTEGER NOT NULL,
    position INTEGER NOT NULL,
    meter_point INTEGER NOT NULL,
    serial_number TEXT NOT NULL,
    installed_on TEXT,
    removed_on TEXT,
    details TEXT,
    PRIMARY KEY (account_id, position)
) STRICT, WITHOUT ROWID;

CREATE TABLE registers (
    account_id INTEGER NOT NULL,
    position INTEGER NOT NULL,
    meter INTEGER NOT NULL,
    register_id TEXT NOT NULL,
    last_billed_to_date TEXT,
    details TEXT,
    PRIMARY KEY (account_id, position)
) STRICT, WITHOUT ROWID;

CREATE TABLE readings (
    account_id INTEGER NOT NULL,
    position INTEGER NOT NULL,
    meter INTEGER NOT NULL,
    kind TEXT NOT NULL CHECK (kind IN ('transfer', 'history')),
    register_id TEXT,
    reading_date TEXT NOT NULL,
    value TEXT NOT NULL,
    quality TEXT NOT NULL, -- the reading's type or quality, as its kind of meter point calls it
    billed INTEGER CHECK (billed IN (0, 1)),
    details TEXT,
    PRIMARY KEY (account_id, position)
) STRICT, WITHOUT ROWID;

CREATE TABLE ledgers (
    account_id INTEGER NOT NULL,
    position INTEGER NOT NULL,
    last_statement_closing_date TEXT,
    last_statement_issue_date TEXT,
    last_statement_balance TEXT,
    balance TEXT,
    PRIMARY KEY (account_id, position)
) STRICT, WITHOUT ROWID;

CREATE TABLE transactions (
    account_id INTEGER NOT NULL,
    position INTEGER NOT NULL,
    ledger INTEGER NOT NULL,
    statement TEXT NOT NULL CHECK (statement IN ('current', 'historical')),
    transaction_id TEXT NOT NULL,
    transaction_date TEXT NOT NULL,
    amount TEXT NOT NULL,
    type TEXT NOT NULL,
    reason TEXT,
    display_note TEXT,
    note TEXT,
    reference TEXT,
    payment_type TEXT,
    product_code TEXT,
    sent_date TEXT, -- where the transaction was moved into the open period
    PRIMARY KEY (account_id, position)
) STRICT, WITHOUT ROWID;
-- Not unique: a transaction may be added again on demand.
CREATE INDEX transactions_by_id ON transactions (account_id, transaction_id, position);

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
    PRIMARY KEY (account_id, txn, position)
) STRICT, WITHOUT ROWID;

CREATE TABLE tax_items (
    account_id INTEGER NOT NULL,
    txn INTEGER NOT NULL,
    position INTEGER NOT NULL,
    amount TEXT NOT NULL,
    tax_type TEXT NOT NULL,
    value_taxed TEXT NOT NULL,
    rate TEXT NOT NULL,
    unit_type TEXT NOT NULL,
    PRIMARY KEY (account_id, txn, position)
) STRICT, WITHOUT ROWID;

CREATE TABLE payment_instructions (
    account_id INTEGER NOT NULL,
    position INTEGER NOT NULL,
    vendor TEXT NOT NULL,
    type TEXT NOT NULL,
    reference TEXT NOT NULL,
    valid_from TEXT NOT NULL,
    details TEXT, -- card or bank account
    PRIMARY KEY (account_id, position)
) STRICT, WITHOUT ROWID;

CREATE TABLE payment_schedules (
    account_id INTEGER NOT NULL,
    position INTEGER NOT NULL,
    amount TEXT,
    day_of_month INTEGER,
    frequency TEXT,
    means TEXT NOT NULL,
    start_date TEXT NOT NULL,
    is_debt_repayment_plan INTEGER CHECK (is_debt_repayment_plan IN (0, 1)),
    PRIMARY KEY (account_id, position)
) STRICT, WITHOUT ROWID;

CREATE TABLE statements (
    account_id INTEGER NOT NULL,
    position INTEGER NOT NULL,
    statement_id TEXT NOT NULL,
    bill_period_from_date TEXT NOT NULL,
    bill_period_to_date TEXT NOT NULL,
    statement_path TEXT,
    average_daily_usage TEXT,
    total_consumption TEXT,
    total_consumption_cost TEXT,
    total_supply_cost TEXT,
    total_feed_in_energy TEXT,
    total_feed_in_cost TEXT,
    is_reversed INTEGER CHECK (is_reversed IN (0, 1)),
    PRIMARY KEY (account_id, position)
) STRICT, WITHOUT ROWID;
CREATE INDEX statements_by_id ON statements (account_id, statement_id);

CREATE TABLE notes (
    account_id INTEGER NOT NULL,
    position INTEGER NOT NULL,
    body TEXT,
    content_hash BLOB NOT NULL CHECK (length(content_hash) = 32), -- finds notes that may be equal
    created_at INTEGER NOT NULL,
    is_pinned INTEGER CHECK (is_pinned IN (0, 1)),
    unpin_at INTEGER,
    PRIMARY KEY (account_id, position)
) STRICT, WITHOUT ROWID;
CREATE INDEX notes_by_content ON notes (account_id, content_hash, created_at);

CREATE TABLE note_documents (
    account_id INTEGER NOT NULL,
    note INTEGER NOT NULL,
    position INTEGER NOT NULL,
    document_path TEXT NOT NULL,
    PRIMARY KEY (account_id, note, position)
) STRICT, WITHOUT ROWID;

CREATE TABLE account_events (
    account_id INTEGER NOT NULL,
    position INTEGER NOT NULL,
    event_type TEXT NOT NULL,
    category TEXT NOT NULL,
    subcategory TEXT NOT NULL,
    occurred_at INTEGER NOT NULL,
    description TEXT NOT NULL,
    PRIMARY KEY (account_id, position)
) STRICT, WITHOUT ROWID;

-- Added to accounts after their import.

CREATE TABLE historical_statements (
    account_id INTEGER NOT NULL,
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
    account_id INTEGER NOT NULL,
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
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    organisation_id INTEGER NOT NULL REFERENCES organisations (id),
    number INTEGER NOT NULL, -- counted in its organisation, so that it tells nothing of others
    supplier_id INTEGER NOT NULL REFERENCES suppliers (id),
    external_identifier TEXT NOT NULL,
    business_type TEXT,
    company_number TEXT,
    company_name TEXT,
    fingerprint BLOB NOT NULL CHECK (length(fingerprint) = 32),
    created_at INTEGER NOT NULL,
    UNIQUE (organisation_id, external_identifier),
    UNIQUE (organisation_id, number)
) STRICT;
CREATE INDEX businesses_of_supplier ON businesses (supplier_id);

-- The last number given to a business of each organisation. None is given twice.
CREATE TABLE business_numbers (
    organisation_id INTEGER PRIMARY KEY NOT NULL REFERENCES organisations (id),
    last INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

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

-- The contracts that accounts name, from when they are sent. Most accounts name none.
CREATE TABLE process_contracts (
    process_id INTEGER PRIMARY KEY NOT NULL REFERENCES processes (id),
    organisation_id INTEGER NOT NULL,
    identifier TEXT NOT NULL,
    is_in_use INTEGER NOT NULL -- false once the process has ended without an account
) STRICT, WITHOUT ROWID;
CREATE INDEX process_contracts_by_identifier ON process_contracts (organisation_id, identifier, is_in_use);

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
    organisation_id INTEGER NOT NULL REFERENCES organisations (id),
    name TEXT NOT NULL,
    kind TEXT NOT NULL CHECK (kind IN ('http', 'stripe', 'gocardless')),
    base_url TEXT NOT NULL,
    secret_env TEXT, -- the variable that holds the secret; the secret is stored nowhere
    created_at INTEGER NOT NULL,
    PRIMARY KEY (organisation_id, name)
) STRICT, WITHOUT ROWID;

-- What operators did, a row an action, written with what it tells of and never changed. It names things by our keys and
-- refers to none of them: a row outlives what it tells of.

CREATE TABLE audit_trail (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    occurred_at INTEGER NOT NULL,
    actor TEXT NOT NULL, -- command, command:USER or key:PREFIX
    action TEXT NOT NULL,
    organisation_id INTEGER,
    supplier_id INTEGER,
    process_id INTEGER,
    detail TEXT -- {"status": "Paused"}; null: nothing is to be said. Never anything of a customer
) STRICT;
-- The last key of a process that was erased is found here: none is given twice.
CREATE INDEX audit_trail_of_process ON audit_trail (process_id);
CREATE INDEX audit_trail_of_organisation ON audit_trail (organisation_id, id);
CREATE INDEX audit_trail_of_supplier ON audit_trail (supplier_id, id);
CREATE INDEX audit_trail_by_actor ON audit_trail (organisation_id, actor, id);
CREATE INDEX audit_trail_by_action ON audit_trail (organisation_id, action, id);

CREATE TRIGGER audit_trail_is_not_changed BEFORE UPDATE ON audit_trail BEGIN
    SELECT RAISE(ABORT, 'the audit trail is only added to');
END;
CREATE TRIGGER audit_trail_is_not_shortened BEFORE DELETE ON audit_trail BEGIN
    SELECT RAISE(ABORT, 'the audit trail is only added to');
END;
