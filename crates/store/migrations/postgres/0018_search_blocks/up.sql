-- The words of 32,768 processes are next to each other, so that those of new accounts are written to few pages, however many
-- accounts there are (decision 0066).
CREATE TABLE block_terms (
    block BIGINT NOT NULL,
    term BYTEA NOT NULL,
    process_id BIGINT NOT NULL
);
INSERT INTO block_terms (block, term, process_id) SELECT process_id / 32768, term, process_id FROM search_terms;

-- The words of a process, each after its length in two bytes.
CREATE TABLE process_terms (
    process_id BIGINT PRIMARY KEY,
    terms BYTEA NOT NULL
);
INSERT INTO process_terms (process_id, terms)
    SELECT process_id, string_agg(int2send(length(term)::smallint) || term, ''::bytea ORDER BY term) FROM search_terms
    GROUP BY process_id;

DROP TABLE search_terms;
ALTER TABLE block_terms RENAME TO search_terms;
ALTER TABLE search_terms ADD PRIMARY KEY (block, term, process_id);
