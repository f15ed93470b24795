-- The time before which all creates that a node refused are written.
ALTER TABLE nodes ADD COLUMN refused_as_of INTEGER;
