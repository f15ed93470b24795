-- Words by which businesses are found (decision 0066): keyed hashes of what is in their names.
CREATE TABLE business_terms (
    business_id INTEGER NOT NULL REFERENCES businesses (id),
    term BLOB NOT NULL,
    PRIMARY KEY (business_id, term)
) STRICT, WITHOUT ROWID;
CREATE INDEX business_terms_by_term ON business_terms (term, business_id);
