-- What operators look for among many: what failed, and what was taken out. What goes well is in neither.
CREATE INDEX processes_failed ON processes (supplier_id, created_at, id) WHERE error_code IS NOT NULL;
CREATE INDEX processes_cancelled ON processes (supplier_id, created_at, id) WHERE state = 'CANCELLED';
-- The same order, of those that run.
DROP INDEX processes_running;
CREATE INDEX processes_running ON processes (supplier_id, created_at, id) WHERE state = 'IN_PROGRESS';
