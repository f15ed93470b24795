-- Claims keep in memory what they remember of suppliers: rows that creates and imports refer to are not written by them.
ALTER TABLE suppliers DROP COLUMN claim_turn, DROP COLUMN due_from;
-- Running imports of a supplier that has a bound are counted from the first lease that has not ended.
DROP INDEX processes_leases;
CREATE INDEX processes_leases ON processes (supplier_id, lease_until, id) WHERE state = 'IN_PROGRESS';
