-- The account numbers that suppliers declare with their manifest. A list is sent in parts, and replaces the one in force when
-- it is complete. The numbers of lists that are neither in force nor being sent are removed a batch at a time.
CREATE TABLE manifest_lists (
    supplier_id BIGINT PRIMARY KEY REFERENCES suppliers (id),
    list BIGINT, -- in force; null: none
    numbers BIGINT NOT NULL,
    loading_list BIGINT, -- being sent; null: none
    loading_numbers BIGINT NOT NULL,
    part BIGINT NOT NULL -- the last part that was stored
);

CREATE TABLE manifest_numbers (
    supplier_id BIGINT NOT NULL REFERENCES suppliers (id),
    list BIGINT NOT NULL,
    external_account_number TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (supplier_id, list, external_account_number)
);
