-- Words by which accounts are found, accepted ones only (decision 0066): keyed hashes of what is in the payload, and the ends
-- of account numbers.
CREATE TABLE search_terms (
    process_id BIGINT NOT NULL,
    term BYTEA NOT NULL,
    PRIMARY KEY (process_id, term)
);
CREATE INDEX search_terms_by_term ON search_terms (term, process_id);

-- The key of the hashes, which the first create or search draws.
CREATE TABLE search_keys (
    name TEXT COLLATE "C" PRIMARY KEY,
    secret BYTEA NOT NULL CHECK (length(secret) >= 32)
);
