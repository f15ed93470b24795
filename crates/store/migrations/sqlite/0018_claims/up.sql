DROP INDEX suppliers_in_turn;
ALTER TABLE suppliers DROP COLUMN claim_turn;
ALTER TABLE suppliers DROP COLUMN due_from;
DROP INDEX processes_leases;
CREATE INDEX processes_leases ON processes (supplier_id, lease_until, id) WHERE state = 'IN_PROGRESS';
