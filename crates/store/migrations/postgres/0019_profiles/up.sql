-- The levels of rules: a profile by its name, the country, and what becomes of members that the contract does not document.
ALTER TABLE suppliers ADD COLUMN profile TEXT NOT NULL DEFAULT 'standard';
ALTER TABLE suppliers ADD COLUMN country TEXT NOT NULL DEFAULT 'AU';
ALTER TABLE suppliers ADD COLUMN undocumented_members TEXT NOT NULL DEFAULT 'error';
-- What rules compare payloads with, where it is not the default.
ALTER TABLE suppliers ADD COLUMN rule_values TEXT;
