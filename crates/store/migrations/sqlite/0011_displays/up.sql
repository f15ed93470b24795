-- Keys for displays. SQLite changes no check of a column: the table is made again, and with it the one that refers to it.
CREATE TABLE keys_of_all_roles (
    id INTEGER PRIMARY KEY,
    organisation_id INTEGER NOT NULL REFERENCES organisations (id),
    prefix TEXT NOT NULL UNIQUE,
    hash BLOB NOT NULL UNIQUE CHECK (length(hash) = 32),
    role TEXT NOT NULL CHECK (role IN ('supplier', 'reader', 'operator', 'display')),
    created_at INTEGER NOT NULL,
    revoked_at INTEGER
) STRICT;
INSERT INTO keys_of_all_roles SELECT id, organisation_id, prefix, hash, role, created_at, revoked_at FROM api_keys;

CREATE TABLE tokens_of_all_roles (
    hash BLOB PRIMARY KEY NOT NULL CHECK (length(hash) = 32),
    family INTEGER NOT NULL,
    api_key_id INTEGER NOT NULL REFERENCES keys_of_all_roles (id),
    expires_at INTEGER NOT NULL,
    used_at INTEGER
) STRICT, WITHOUT ROWID;
INSERT INTO tokens_of_all_roles SELECT hash, family, api_key_id, expires_at, used_at FROM refresh_tokens;

DROP TABLE refresh_tokens;
DROP TABLE api_keys;
ALTER TABLE keys_of_all_roles RENAME TO api_keys;
ALTER TABLE tokens_of_all_roles RENAME TO refresh_tokens;

CREATE INDEX api_keys_of_organisation ON api_keys (organisation_id);
CREATE INDEX refresh_tokens_of_family ON refresh_tokens (family);
CREATE INDEX refresh_tokens_of_api_key ON refresh_tokens (api_key_id);
CREATE INDEX refresh_tokens_by_expiry ON refresh_tokens (expires_at);
