-- When its payload and its history were moved to an archive; null: they are here.
ALTER TABLE processes ADD COLUMN archived_at INTEGER;
