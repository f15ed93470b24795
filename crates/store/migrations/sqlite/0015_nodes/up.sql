-- Sealed secrets are longer than the 32 bytes of an open one.
CREATE TABLE new_signing_keys (
    kid TEXT PRIMARY KEY NOT NULL,
    secret BLOB NOT NULL CHECK (length(secret) >= 32),
    created_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
INSERT INTO new_signing_keys SELECT kid, secret, created_at FROM signing_keys;
DROP TABLE signing_keys;
ALTER TABLE new_signing_keys RENAME TO signing_keys;

-- The processes that serve now. Each writes its row every few seconds, and no other table refers to it.
CREATE TABLE nodes (
    id TEXT PRIMARY KEY NOT NULL,
    role TEXT NOT NULL,
    version TEXT NOT NULL,
    encryption_keys TEXT NOT NULL,
    started_at INTEGER NOT NULL,
    seen_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
