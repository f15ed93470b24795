-- Since when a process has been failed by outages alone, and how many attempts were; null: it is in none. Without a
-- default no row is rewritten.
ALTER TABLE processes ADD COLUMN failing_since TIMESTAMPTZ;
ALTER TABLE processes ADD COLUMN failing_tries BIGINT;
