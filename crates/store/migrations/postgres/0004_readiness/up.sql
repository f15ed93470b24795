-- When the running wave began, or counting for the share of failures: the release, or the setting. Null: before this
-- column was added.
ALTER TABLE supplier_gates ADD COLUMN began_at TIMESTAMPTZ;

-- Contracts that were removed although accounts name them. Accounts that wait keep their contracts, so these accounts had
-- failed or were cancelled; sent again or retried they would fail for their contract. Triggers keep the rows, of which
-- there are few, so that nobody has to look through all accounts for them.
CREATE TABLE absent_contracts (
    organisation_id BIGINT NOT NULL REFERENCES organisations (id),
    identifier TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (organisation_id, identifier)
);

INSERT INTO absent_contracts
    SELECT DISTINCT organisation_id, identifier FROM process_contracts p WHERE NOT EXISTS (
        SELECT 1 FROM business_contracts c
        WHERE c.organisation_id = p.organisation_id AND c.identifier = p.identifier);

CREATE FUNCTION keep_absent_contracts() RETURNS TRIGGER LANGUAGE plpgsql AS $$ BEGIN
    IF TG_TABLE_NAME = 'process_contracts' THEN
        DELETE FROM absent_contracts a WHERE a.organisation_id = OLD.organisation_id AND a.identifier = OLD.identifier
            AND NOT EXISTS (SELECT 1 FROM process_contracts p
                WHERE p.organisation_id = OLD.organisation_id AND p.identifier = OLD.identifier);
    ELSIF TG_OP = 'INSERT' THEN
        DELETE FROM absent_contracts a WHERE a.organisation_id = NEW.organisation_id AND a.identifier = NEW.identifier;
    ELSE
        INSERT INTO absent_contracts SELECT OLD.organisation_id, OLD.identifier WHERE EXISTS (
            SELECT 1 FROM process_contracts p
            WHERE p.organisation_id = OLD.organisation_id AND p.identifier = OLD.identifier)
            ON CONFLICT DO NOTHING;
    END IF;
    RETURN NULL;
END $$;

CREATE TRIGGER business_contracts_deleted AFTER DELETE ON business_contracts
    FOR EACH ROW EXECUTE FUNCTION keep_absent_contracts();
CREATE TRIGGER business_contracts_inserted AFTER INSERT ON business_contracts
    FOR EACH ROW EXECUTE FUNCTION keep_absent_contracts();
CREATE TRIGGER process_contracts_deleted AFTER DELETE ON process_contracts
    FOR EACH ROW EXECUTE FUNCTION keep_absent_contracts();
