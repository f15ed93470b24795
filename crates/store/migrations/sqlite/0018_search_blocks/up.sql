-- The words of 32,768 processes are next to each other, so that those of new accounts are written to few pages, however many
-- accounts there are (decision 0066).
CREATE TABLE block_terms (
    block INTEGER NOT NULL,
    term BLOB NOT NULL,
    process_id INTEGER NOT NULL,
    PRIMARY KEY (block, term, process_id)
) STRICT, WITHOUT ROWID;
INSERT INTO block_terms (block, term, process_id)
    SELECT process_id / 32768, term, process_id FROM search_terms ORDER BY process_id / 32768, term, process_id;

-- The words of a process, each after its length in two bytes.
CREATE TABLE process_terms (
    process_id INTEGER PRIMARY KEY NOT NULL,
    terms BLOB NOT NULL
) STRICT;
INSERT INTO process_terms (process_id, terms)
    SELECT process_id, unhex(group_concat(printf('%04x', length(term)) || hex(term), '')) FROM search_terms
    GROUP BY process_id;

DROP TABLE search_terms;
ALTER TABLE block_terms RENAME TO search_terms;
