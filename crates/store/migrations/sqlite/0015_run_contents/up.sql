-- Keyed hashes of the values of an account by path, with which two runs are compared; null: they were not computed.
ALTER TABLE run_outcomes ADD COLUMN paths BLOB;

-- The supplier may start and end runs itself.
ALTER TABLE suppliers ADD COLUMN supplier_runs INTEGER NOT NULL DEFAULT 0 CHECK (supplier_runs IN (0, 1));
