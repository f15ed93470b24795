-- Words by which accounts are found, accepted ones only (decision 0066): keyed hashes of what is in the payload, and the ends
-- of account numbers.
CREATE TABLE search_terms (
    process_id INTEGER NOT NULL,
    term BLOB NOT NULL,
    PRIMARY KEY (process_id, term)
) STRICT, WITHOUT ROWID;
CREATE INDEX search_terms_by_term ON search_terms (term, process_id);

-- The key of the hashes, which the first create or search draws.
CREATE TABLE search_keys (
    name TEXT PRIMARY KEY NOT NULL,
    secret BLOB NOT NULL CHECK (length(secret) >= 32)
) STRICT, WITHOUT ROWID;
