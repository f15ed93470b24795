-- When the running wave began, or counting for the share of failures: the release, or the setting. Null: before this
-- column was added.
ALTER TABLE supplier_gates ADD COLUMN began_at INTEGER;

-- Contracts that were removed although accounts name them. Accounts that wait keep their contracts, so these accounts had
-- failed or were cancelled; sent again or retried they would fail for their contract. Triggers keep the rows, of which
-- there are few, so that nobody has to look through all accounts for them.
CREATE TABLE absent_contracts (
    organisation_id INTEGER NOT NULL REFERENCES organisations (id),
    identifier TEXT NOT NULL,
    PRIMARY KEY (organisation_id, identifier)
) STRICT, WITHOUT ROWID;

INSERT INTO absent_contracts
    SELECT DISTINCT organisation_id, identifier FROM process_contracts p WHERE NOT EXISTS (
        SELECT 1 FROM business_contracts c
        WHERE c.organisation_id = p.organisation_id AND c.identifier = p.identifier);

CREATE TRIGGER business_contracts_deleted AFTER DELETE ON business_contracts BEGIN
    INSERT INTO absent_contracts SELECT OLD.organisation_id, OLD.identifier WHERE EXISTS (
        SELECT 1 FROM process_contracts WHERE organisation_id = OLD.organisation_id AND identifier = OLD.identifier)
        ON CONFLICT DO NOTHING;
END;

CREATE TRIGGER business_contracts_inserted AFTER INSERT ON business_contracts BEGIN
    DELETE FROM absent_contracts WHERE organisation_id = NEW.organisation_id AND identifier = NEW.identifier;
END;

CREATE TRIGGER process_contracts_deleted AFTER DELETE ON process_contracts
WHEN EXISTS (
    SELECT 1 FROM absent_contracts WHERE organisation_id = OLD.organisation_id AND identifier = OLD.identifier)
BEGIN
    DELETE FROM absent_contracts WHERE organisation_id = OLD.organisation_id AND identifier = OLD.identifier
        AND NOT EXISTS (SELECT 1 FROM process_contracts
            WHERE organisation_id = OLD.organisation_id AND identifier = OLD.identifier);
END;
