-- Keyed hashes of the values of an account by path, with which two runs are compared; null: they were not computed.
ALTER TABLE run_outcomes ADD COLUMN paths BYTEA;

-- The supplier may start and end runs itself.
ALTER TABLE suppliers ADD COLUMN supplier_runs BOOLEAN NOT NULL DEFAULT false;
