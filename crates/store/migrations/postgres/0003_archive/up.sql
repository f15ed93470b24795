-- When its payload and its history were moved to an archive; null: they are here. Without a default no row is
-- rewritten: the table is locked for a moment only.
ALTER TABLE processes ADD COLUMN archived_at TIMESTAMPTZ;
