-- Grows with each change of a supplier's settings, so that what was decided by settings kept in memory can be held
-- against those that are in force. A default that is a constant rewrites no row.
ALTER TABLE suppliers ADD COLUMN revision BIGINT NOT NULL DEFAULT 0;
