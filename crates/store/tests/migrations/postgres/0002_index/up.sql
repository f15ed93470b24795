CREATE INDEX CONCURRENTLY things_by_kind ON things (kind);
