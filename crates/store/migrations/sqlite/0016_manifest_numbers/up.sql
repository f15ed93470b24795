-- The account numbers that suppliers declare with their manifest. A list is sent in parts, and replaces the one in force when
-- it is complete. The numbers of lists that are neither in force nor being sent are removed a batch at a time.
CREATE TABLE manifest_lists (
    supplier_id INTEGER PRIMARY KEY REFERENCES suppliers (id),
    list INTEGER, -- in force; null: none
    numbers INTEGER NOT NULL,
    loading_list INTEGER, -- being sent; null: none
    loading_numbers INTEGER NOT NULL,
    part INTEGER NOT NULL -- the last part that was stored
) STRICT;

CREATE TABLE manifest_numbers (
    supplier_id INTEGER NOT NULL REFERENCES suppliers (id),
    list INTEGER NOT NULL,
    external_account_number TEXT NOT NULL,
    PRIMARY KEY (supplier_id, list, external_account_number)
) STRICT, WITHOUT ROWID;
