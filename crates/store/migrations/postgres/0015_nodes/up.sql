-- Sealed secrets are longer than the 32 bytes of an open one.
ALTER TABLE signing_keys
    DROP CONSTRAINT signing_keys_secret_check,
    ADD CONSTRAINT signing_keys_secret_check CHECK (length(secret) >= 32);

-- The processes that serve now. Each writes its row every few seconds, and no other table refers to it.
CREATE TABLE nodes (
    id TEXT COLLATE "C" PRIMARY KEY NOT NULL,
    role TEXT NOT NULL,
    version TEXT NOT NULL,
    encryption_keys TEXT NOT NULL,
    started_at TIMESTAMPTZ NOT NULL,
    seen_at TIMESTAMPTZ NOT NULL
);
