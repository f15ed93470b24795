-- True if a supplier or a reader asked for the certificate: later ones may take the place of its leaves. Leaves of certificates
-- of earlier versions, which did not note who asked, are kept.
ALTER TABLE certificates ADD COLUMN is_replaceable INTEGER NOT NULL DEFAULT 0 CHECK (is_replaceable IN (0, 1));

-- Most certificates have no leaves in the end.
CREATE INDEX certificates_by_leaves ON certificates (supplier_id, has_leaves, id);
