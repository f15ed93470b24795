-- Numbers of accounts without what people overlook, where they differ from the number (rule PST-20).
CREATE TABLE folded_numbers (
    process_id BIGINT PRIMARY KEY REFERENCES processes (id),
    supplier_id BIGINT NOT NULL,
    folded TEXT COLLATE "C" NOT NULL
);
CREATE INDEX folded_numbers_by_number ON folded_numbers (supplier_id, folded, process_id);
