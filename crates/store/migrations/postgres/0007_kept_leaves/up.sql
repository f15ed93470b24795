-- True if a supplier or a reader asked for the certificate: later ones may take the place of its leaves. Leaves of certificates
-- of earlier versions, which did not note who asked, are kept.
ALTER TABLE certificates ADD COLUMN is_replaceable BOOLEAN NOT NULL DEFAULT FALSE;

-- Most certificates have no leaves in the end.
CREATE INDEX certificates_by_leaves ON certificates (supplier_id, has_leaves, id);
