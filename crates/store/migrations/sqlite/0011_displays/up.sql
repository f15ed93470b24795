-- Keys for displays. A check of a column goes with the column.
ALTER TABLE api_keys ADD COLUMN role_of_key TEXT NOT NULL DEFAULT 'supplier'
    CHECK (role_of_key IN ('supplier', 'reader', 'operator', 'display'));
UPDATE api_keys SET role_of_key = role;
ALTER TABLE api_keys DROP COLUMN role;
ALTER TABLE api_keys RENAME COLUMN role_of_key TO role;
