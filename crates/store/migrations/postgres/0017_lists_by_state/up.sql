-- A list of one state reads that state alone, however many there are of others. An import is written to three of the
-- indexes of lists (pending, running, imported), one less than with processes_unimported, which it entered twice.

-- status=PENDING, and the pending list of version 1.
CREATE INDEX processes_listed_pending ON processes (supplier_id, created_at, id) WHERE state = 'PENDING';
-- status=DRY_RUN_SUCCEEDED, status=DRY_RUN_ERRORED and status=ERRORED.
CREATE INDEX processes_dry_run_succeeded ON processes (supplier_id, created_at, id) WHERE state = 'DRY_RUN_SUCCEEDED';
CREATE INDEX processes_dry_run_errored ON processes (supplier_id, created_at, id) WHERE state = 'DRY_RUN_ERRORED';
CREATE INDEX processes_errored ON processes (supplier_id, created_at, id) WHERE state = 'ERRORED';
-- The pending list of version 1, which merges it with those that wait and those that run: to merge all five states
-- takes a third longer.
CREATE INDEX processes_without_account ON processes (supplier_id, created_at, id)
    WHERE state IN ('ERRORED', 'DRY_RUN_ERRORED', 'DRY_RUN_SUCCEEDED');
-- The pending list read it, and those of PENDING and DRY_RUN_SUCCEEDED.
DROP INDEX processes_unimported;
-- The lists of ERRORED and DRY_RUN_ERRORED read it; lists of an error read processes_by_error.
DROP INDEX processes_failed;
