-- What operators did, a row an action, written with what it tells of and never changed. It names things by our keys and
-- refers to none of them: a row outlives what it tells of.

CREATE TABLE audit_trail (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    occurred_at INTEGER NOT NULL,
    actor TEXT NOT NULL, -- command, command:USER or key:PREFIX
    action TEXT NOT NULL,
    organisation_id INTEGER,
    supplier_id INTEGER,
    process_id INTEGER,
    detail TEXT -- {"status": "Paused"}; null: nothing is to be said. Never anything of a customer
) STRICT;
-- The last key of a process that was erased is found here: none is given twice.
CREATE INDEX audit_trail_of_process ON audit_trail (process_id);

CREATE TRIGGER audit_trail_is_not_changed BEFORE UPDATE ON audit_trail BEGIN
    SELECT RAISE(ABORT, 'the audit trail is only added to');
END;
CREATE TRIGGER audit_trail_is_not_shortened BEFORE DELETE ON audit_trail BEGIN
    SELECT RAISE(ABORT, 'the audit trail is only added to');
END;
