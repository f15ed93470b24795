-- The tables of an invented billing system, as such systems have them: days as DD/MM/YYYY, amounts in cents, codes of
-- one letter, numbers with leading zeros as texts.

CREATE TABLE business (
  business_no TEXT PRIMARY KEY,
  name        TEXT NOT NULL,
  legal_form  TEXT NOT NULL,
  acn         TEXT
);

CREATE TABLE contract (
  contract_no TEXT PRIMARY KEY,
  business_no TEXT NOT NULL REFERENCES business,
  signed_on   TEXT NOT NULL,
  valid_from  TEXT NOT NULL
);

CREATE TABLE customer (
  cust_no     TEXT PRIMARY KEY,
  title       TEXT NOT NULL,
  given_name  TEXT NOT NULL,
  family_name TEXT NOT NULL,
  email       TEXT NOT NULL,
  mobile      TEXT NOT NULL,
  landline    TEXT,
  born_on     TEXT NOT NULL
);

CREATE TABLE account (
  acct_no      TEXT PRIMARY KEY,         -- seven digits
  cust_no      TEXT REFERENCES customer, -- NULL: nobody is known at the address
  class        TEXT NOT NULL,            -- R residential, B business, V vacant
  bill_name    TEXT NOT NULL,
  bill_line    TEXT NOT NULL,
  bill_postcode TEXT NOT NULL,
  channel      TEXT NOT NULL,            -- DIR direct, WEB comparison site
  sold_on      TEXT NOT NULL,
  billed_to    TEXT NOT NULL,
  contract_no  TEXT                      -- of a business
);

CREATE TABLE site (
  site_no     TEXT PRIMARY KEY,
  acct_no     TEXT NOT NULL REFERENCES account,
  house       TEXT NOT NULL,
  street      TEXT NOT NULL,
  street_type TEXT NOT NULL,
  suburb      TEXT NOT NULL,
  state       TEXT NOT NULL,
  postcode    TEXT NOT NULL,
  since       TEXT NOT NULL
);

CREATE TABLE supply_point (
  point_no   TEXT PRIMARY KEY,           -- NMI, MIRN, or the number of an unmetered supply
  site_no    TEXT NOT NULL REFERENCES site,
  fuel       TEXT NOT NULL,              -- E electricity, G gas, U unmetered electricity
  since      TEXT NOT NULL,
  position   TEXT,                       -- gas: where the meter is
  remark     TEXT                        -- gas: class of the customer; unmetered: NMI of the building
);

CREATE TABLE agreement (
  point_no    TEXT NOT NULL REFERENCES supply_point,
  tariff      TEXT NOT NULL,
  valid_from  TEXT NOT NULL,
  valid_to    TEXT,                      -- NULL: open
  contract_no TEXT
);

CREATE TABLE meter (
  serial_no    TEXT PRIMARY KEY,         -- may begin with zeros
  point_no     TEXT NOT NULL REFERENCES supply_point,
  installed_on TEXT NOT NULL
);

CREATE TABLE register (
  serial_no TEXT NOT NULL REFERENCES meter,
  register  TEXT NOT NULL,
  billed_to TEXT NOT NULL,
  PRIMARY KEY (serial_no, register)
);

CREATE TABLE reading (
  serial_no TEXT NOT NULL REFERENCES meter,
  register  TEXT,                        -- not of gas
  read_on   TEXT NOT NULL,
  value     TEXT NOT NULL,
  source    TEXT NOT NULL,               -- A actual, E estimated
  purpose   TEXT NOT NULL                -- B billed, T for the transfer
);

CREATE TABLE posting (
  posting_no   TEXT PRIMARY KEY,
  acct_no      TEXT NOT NULL REFERENCES account,
  booked_on    TEXT NOT NULL,
  cents        INTEGER NOT NULL,
  kind         TEXT NOT NULL,            -- P payment, C charge, S supply charge, K credit
  period       TEXT NOT NULL,            -- B on a bill, O still open
  text         TEXT NOT NULL,
  tariff       TEXT,
  payment_type TEXT                      -- DD direct debit, BP BPAY
);

CREATE TABLE charge_line (
  posting_no TEXT NOT NULL REFERENCES posting,
  band       TEXT NOT NULL,
  from_day   TEXT NOT NULL,
  to_day     TEXT NOT NULL,
  units      TEXT NOT NULL,
  cents      INTEGER NOT NULL,
  price      TEXT NOT NULL
);

CREATE TABLE charge_tax (
  posting_no TEXT NOT NULL REFERENCES posting,
  cents      INTEGER NOT NULL,
  of_cents   INTEGER NOT NULL
);

CREATE TABLE mandate (
  mandate_no TEXT PRIMARY KEY,
  acct_no    TEXT NOT NULL REFERENCES account,
  holder     TEXT NOT NULL,
  bsb        TEXT NOT NULL,
  bank_account TEXT NOT NULL,
  signed_on  TEXT NOT NULL
);

CREATE TABLE plan (
  acct_no TEXT NOT NULL REFERENCES account,
  cents   INTEGER NOT NULL,
  day     INTEGER NOT NULL,
  since   TEXT NOT NULL
);

CREATE TABLE note (
  note_no    INTEGER PRIMARY KEY,
  acct_no    TEXT NOT NULL REFERENCES account,
  written_at TEXT NOT NULL,              -- DD/MM/YYYY hh:mm
  text       TEXT NOT NULL
);

-- What was noted after the extract, while the accounts were moved.
CREATE TABLE call_log (
  call_no   INTEGER PRIMARY KEY,
  acct_no   TEXT NOT NULL REFERENCES account,
  called_at TEXT NOT NULL,
  text      TEXT NOT NULL
);
