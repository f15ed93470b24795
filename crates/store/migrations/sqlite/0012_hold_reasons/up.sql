-- Who holds a supplier, and the reasons that were added to its hold: a JSON array, oldest first. Both are null if there is none.
ALTER TABLE supplier_gates ADD COLUMN held_owner TEXT;
ALTER TABLE supplier_gates ADD COLUMN held_also TEXT;
