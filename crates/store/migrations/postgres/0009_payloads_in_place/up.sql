-- A packed payload of the usual size stays in its row: to cut it up for the TOAST table costs two rows and two
-- entries of an index more.
ALTER TABLE payloads SET (toast_tuple_target = 8160);
