-- Views for analysts: `analysis` has no personal data, `analysis_personal` has names, addresses, numbers and notes. Money and
-- readings are exact numbers. Bank details, payloads and keys are in neither.
--
--   psql -X -1 -d 'postgres://cutover@db.example.com/cutover' -f deploy/postgres/views.sql \
--       -v reader=analysts -v personal_reader=casework
--
-- The roles are given the right to read the views and nothing else; either may be left out. Erased accounts are gone from the
-- views at once. Drop both schemas before a migration (DROP SCHEMA analysis, analysis_personal CASCADE), which may change the
-- tables, and run this again after it. Long queries belong on a standby.

\set ON_ERROR_STOP on
SET LOCAL client_min_messages = warning;

DROP SCHEMA IF EXISTS analysis, analysis_personal CASCADE;
CREATE SCHEMA analysis;
COMMENT ON SCHEMA analysis IS 'Imported accounts without personal data.';
CREATE SCHEMA analysis_personal;
COMMENT ON SCHEMA analysis_personal IS 'The personal data of imported accounts.';

CREATE VIEW analysis.suppliers AS SELECT
    s.id AS supplier_id,
    s.code AS supplier,
    o.name AS organisation,
    s.status AS status,
    s.time_zone AS time_zone,
    s.created_at AS created_at
    FROM suppliers s JOIN organisations o ON o.id = s.organisation_id;
COMMENT ON VIEW analysis.suppliers IS 'Suppliers whose customers are taken over.';
COMMENT ON COLUMN analysis.suppliers.supplier_id IS 'Key of the supplier.';
COMMENT ON COLUMN analysis.suppliers.supplier IS 'Code in payloads.';
COMMENT ON COLUMN analysis.suppliers.organisation IS 'Organisation that sends its accounts.';
COMMENT ON COLUMN analysis.suppliers.status IS 'Ongoing, Paused or Complete.';
COMMENT ON COLUMN analysis.suppliers.time_zone IS 'Time zone of dates and of times without an offset.';
COMMENT ON COLUMN analysis.suppliers.created_at IS 'When it was added.';

CREATE VIEW analysis.processes AS SELECT
    p.id AS process_id,
    p.supplier_id AS supplier_id,
    p.state AS status,
    p.error_code AS error_code,
    p.attempt AS attempt,
    p.is_dry_run AS is_dry_run,
    p.created_at AS created_at,
    p.modified_at AS modified_at
    FROM processes p;
COMMENT ON VIEW analysis.processes IS 'Imports, one for each account that was accepted.';
COMMENT ON COLUMN analysis.processes.process_id IS 'Key of the process, and of its account once that is imported.';
COMMENT ON COLUMN analysis.processes.supplier_id IS 'Key of the supplier.';
COMMENT ON COLUMN analysis.processes.status IS 'Status, as in docs/process.md.';
COMMENT ON COLUMN analysis.processes.error_code IS 'Code of the error of a failed import.';
COMMENT ON COLUMN analysis.processes.attempt IS 'Number of the attempt.';
COMMENT ON COLUMN analysis.processes.is_dry_run IS 'True if nothing is imported.';
COMMENT ON COLUMN analysis.processes.created_at IS 'When the account was accepted.';
COMMENT ON COLUMN analysis.processes.modified_at IS 'When the status last changed.';

CREATE VIEW analysis.accounts AS SELECT
    a.id AS account_id,
    a.supplier_id AS supplier_id,
    a.imported_at AS imported_at,
    a.customer_emails AS customer_emails,
    a.communication_preference AS communication_preference,
    a.transfer_balance::numeric AS transfer_balance,
    a.last_billed_to_date AS last_billed_to_date,
    a.business_contract_identifier IS NOT NULL AS is_business,
    a.added_at AS added_at,
    a.billed_at AS billed_at
    FROM accounts a;
COMMENT ON VIEW analysis.accounts IS 'Imported accounts, without their numbers and names.';
COMMENT ON COLUMN analysis.accounts.account_id IS 'Key of the account.';
COMMENT ON COLUMN analysis.accounts.supplier_id IS 'Key of the supplier.';
COMMENT ON COLUMN analysis.accounts.imported_at IS 'When it was imported.';
COMMENT ON COLUMN analysis.accounts.customer_emails IS 'True if its customers are told of the migration by email.';
COMMENT ON COLUMN analysis.accounts.communication_preference IS 'How its customers want to be contacted.';
COMMENT ON COLUMN analysis.accounts.transfer_balance IS 'Balance at the transfer, in the currency of the account.';
COMMENT ON COLUMN analysis.accounts.last_billed_to_date IS 'Last day that the supplier has billed.';
COMMENT ON COLUMN analysis.accounts.is_business IS 'True if it is under a contract of a business.';
COMMENT ON COLUMN analysis.accounts.added_at IS 'When something was first added since the import.';
COMMENT ON COLUMN analysis.accounts.billed_at IS 'When another system reported that it has billed the account.';

CREATE VIEW analysis.supply_addresses AS SELECT
    s.account_id AS account_id,
    s.position AS position,
    s.administrative_area AS administrative_area,
    s.country AS country,
    s.is_landlord AS is_landlord,
    s.customer_from AS customer_from
    FROM supply_addresses s;
COMMENT ON VIEW analysis.supply_addresses IS 'Supplied premises, by area only.';
COMMENT ON COLUMN analysis.supply_addresses.account_id IS 'Key of the account in analysis.accounts.';
COMMENT ON COLUMN analysis.supply_addresses.position IS 'Number of the address in its account, from 0.';
COMMENT ON COLUMN analysis.supply_addresses.administrative_area IS 'State or county.';
COMMENT ON COLUMN analysis.supply_addresses.country IS 'Country.';
COMMENT ON COLUMN analysis.supply_addresses.is_landlord IS 'True if the customer lets the premises.';
COMMENT ON COLUMN analysis.supply_addresses.customer_from IS 'First day of the customer at the address.';

CREATE VIEW analysis.meter_points AS SELECT
    m.account_id AS account_id,
    m.position AS position,
    m.supply_address AS supply_address,
    m.supply_type AS supply_type,
    m.supply_start_date AS supply_start_date,
    m.supply_end_date AS supply_end_date
    FROM meter_points m;
COMMENT ON VIEW analysis.meter_points IS 'Meter points, without the numbers that identify premises.';
COMMENT ON COLUMN analysis.meter_points.account_id IS 'Key of the account in analysis.accounts.';
COMMENT ON COLUMN analysis.meter_points.position IS 'Number of the meter point in its account, from 0.';
COMMENT ON COLUMN analysis.meter_points.supply_address IS 'Position of its address in supply_addresses.';
COMMENT ON COLUMN analysis.meter_points.supply_type IS 'What is supplied.';
COMMENT ON COLUMN analysis.meter_points.supply_start_date IS 'First day of the supply.';
COMMENT ON COLUMN analysis.meter_points.supply_end_date IS 'Day of its end, if it has one.';

CREATE VIEW analysis.agreements AS SELECT
    g.account_id AS account_id,
    g.position AS position,
    g.meter_point AS meter_point,
    g.tariff_code AS tariff_code,
    g.effective_from AS effective_from,
    g.effective_to AS effective_to,
    g.agreed_at AS agreed_at
    FROM agreements g;
COMMENT ON VIEW analysis.agreements IS 'Tariffs of meter points.';
COMMENT ON COLUMN analysis.agreements.account_id IS 'Key of the account in analysis.accounts.';
COMMENT ON COLUMN analysis.agreements.position IS 'Number of the agreement in its account, from 0.';
COMMENT ON COLUMN analysis.agreements.meter_point IS 'Position of its meter point in meter_points.';
COMMENT ON COLUMN analysis.agreements.tariff_code IS 'Code of the tariff.';
COMMENT ON COLUMN analysis.agreements.effective_from IS 'First day.';
COMMENT ON COLUMN analysis.agreements.effective_to IS 'Day of its end, if it has one.';
COMMENT ON COLUMN analysis.agreements.agreed_at IS 'When the customer agreed.';

CREATE VIEW analysis.readings AS SELECT
    r.account_id AS account_id,
    r.position AS position,
    r.meter AS meter,
    r.kind AS kind,
    r.register_id AS register_id,
    r.reading_date AS reading_date,
    r.value::numeric AS value,
    r.quality AS quality,
    r.billed AS billed
    FROM readings r;
COMMENT ON VIEW analysis.readings IS 'Readings of meters.';
COMMENT ON COLUMN analysis.readings.account_id IS 'Key of the account in analysis.accounts.';
COMMENT ON COLUMN analysis.readings.position IS 'Number of the reading in its account, from 0.';
COMMENT ON COLUMN analysis.readings.meter IS 'Number of its meter in the account, from 0.';
COMMENT ON COLUMN analysis.readings.kind IS 'transfer: at the takeover; history: before it.';
COMMENT ON COLUMN analysis.readings.register_id IS 'Register of the meter.';
COMMENT ON COLUMN analysis.readings.reading_date IS 'Day of the reading.';
COMMENT ON COLUMN analysis.readings.value IS 'Reading, in the unit of its register.';
COMMENT ON COLUMN analysis.readings.quality IS 'Type or quality, as its kind of meter point calls it.';
COMMENT ON COLUMN analysis.readings.billed IS 'True if it is billed already.';

CREATE VIEW analysis.ledgers AS SELECT
    l.account_id AS account_id,
    l.position AS position,
    l.balance::numeric AS balance,
    l.last_statement_balance::numeric AS last_statement_balance,
    l.last_statement_closing_date AS last_statement_closing_date,
    l.last_statement_issue_date AS last_statement_issue_date
    FROM ledgers l;
COMMENT ON VIEW analysis.ledgers IS 'Ledgers of accounts.';
COMMENT ON COLUMN analysis.ledgers.account_id IS 'Key of the account in analysis.accounts.';
COMMENT ON COLUMN analysis.ledgers.position IS 'Number of the ledger in its account, from 0.';
COMMENT ON COLUMN analysis.ledgers.balance IS 'Balance, in the currency of the account.';
COMMENT ON COLUMN analysis.ledgers.last_statement_balance IS 'Balance of the last statement.';
COMMENT ON COLUMN analysis.ledgers.last_statement_closing_date IS 'Last day of the last statement.';
COMMENT ON COLUMN analysis.ledgers.last_statement_issue_date IS 'Day on which it was issued.';

CREATE VIEW analysis.transactions AS SELECT
    t.account_id AS account_id,
    t.position AS position,
    t.ledger AS ledger,
    t.statement AS statement,
    t.transaction_date AS transaction_date,
    t.amount::numeric AS amount,
    t.type AS type,
    t.reason AS reason,
    t.payment_type AS payment_type,
    t.product_code AS product_code
    FROM transactions t;
COMMENT ON VIEW analysis.transactions IS 'Transactions of ledgers, without notes and references.';
COMMENT ON COLUMN analysis.transactions.account_id IS 'Key of the account in analysis.accounts.';
COMMENT ON COLUMN analysis.transactions.position IS 'Number of the transaction in its account, from 0.';
COMMENT ON COLUMN analysis.transactions.ledger IS 'Position of its ledger in ledgers.';
COMMENT ON COLUMN analysis.transactions.statement IS 'current: in the open period; historical: on a statement.';
COMMENT ON COLUMN analysis.transactions.transaction_date IS 'Day of the transaction.';
COMMENT ON COLUMN analysis.transactions.amount IS 'Amount, in the currency of the account.';
COMMENT ON COLUMN analysis.transactions.type IS 'Kind of transaction.';
COMMENT ON COLUMN analysis.transactions.reason IS 'Reason of the transaction.';
COMMENT ON COLUMN analysis.transactions.payment_type IS 'How it was paid.';
COMMENT ON COLUMN analysis.transactions.product_code IS 'Product that was charged.';

CREATE VIEW analysis.payment_instructions AS SELECT
    i.account_id AS account_id,
    i.position AS position,
    i.vendor AS vendor,
    i.type AS type,
    i.valid_from AS valid_from
    FROM payment_instructions i;
COMMENT ON VIEW analysis.payment_instructions IS 'How accounts are paid, without references and bank details.';
COMMENT ON COLUMN analysis.payment_instructions.account_id IS 'Key of the account in analysis.accounts.';
COMMENT ON COLUMN analysis.payment_instructions.position IS 'Number of the instruction in its account, from 0.';
COMMENT ON COLUMN analysis.payment_instructions.vendor IS 'Payment vendor.';
COMMENT ON COLUMN analysis.payment_instructions.type IS 'Kind of instruction.';
COMMENT ON COLUMN analysis.payment_instructions.valid_from IS 'First day.';

CREATE VIEW analysis.payment_schedules AS SELECT
    p.account_id AS account_id,
    p.position AS position,
    p.amount::numeric AS amount,
    p.day_of_month AS day_of_month,
    p.frequency AS frequency,
    p.means AS means,
    p.start_date AS start_date,
    p.is_debt_repayment_plan AS is_debt_repayment_plan
    FROM payment_schedules p;
COMMENT ON VIEW analysis.payment_schedules IS 'Agreed payments.';
COMMENT ON COLUMN analysis.payment_schedules.account_id IS 'Key of the account in analysis.accounts.';
COMMENT ON COLUMN analysis.payment_schedules.position IS 'Number of the schedule in its account, from 0.';
COMMENT ON COLUMN analysis.payment_schedules.amount IS 'Amount of each payment.';
COMMENT ON COLUMN analysis.payment_schedules.day_of_month IS 'Day of the month.';
COMMENT ON COLUMN analysis.payment_schedules.frequency IS 'Months between two payments, as sent.';
COMMENT ON COLUMN analysis.payment_schedules.means IS 'How it is paid.';
COMMENT ON COLUMN analysis.payment_schedules.start_date IS 'First day.';
COMMENT ON COLUMN analysis.payment_schedules.is_debt_repayment_plan IS 'True if a debt is paid off.';

CREATE VIEW analysis.statements AS SELECT
    s.account_id AS account_id,
    s.position AS position,
    s.bill_period_from_date AS bill_period_from_date,
    s.bill_period_to_date AS bill_period_to_date,
    s.total_consumption::numeric AS total_consumption,
    s.total_consumption_cost::numeric AS total_consumption_cost,
    s.total_supply_cost::numeric AS total_supply_cost,
    s.is_reversed AS is_reversed
    FROM statements s;
COMMENT ON VIEW analysis.statements IS 'Statements that came with accounts, without their documents.';
COMMENT ON COLUMN analysis.statements.account_id IS 'Key of the account in analysis.accounts.';
COMMENT ON COLUMN analysis.statements.position IS 'Number of the statement in its account, from 0.';
COMMENT ON COLUMN analysis.statements.bill_period_from_date IS 'First day.';
COMMENT ON COLUMN analysis.statements.bill_period_to_date IS 'Last day.';
COMMENT ON COLUMN analysis.statements.total_consumption IS 'Consumption in the period.';
COMMENT ON COLUMN analysis.statements.total_consumption_cost IS 'Its cost.';
COMMENT ON COLUMN analysis.statements.total_supply_cost IS 'Cost of the supply.';
COMMENT ON COLUMN analysis.statements.is_reversed IS 'True if it was withdrawn.';

CREATE VIEW analysis_personal.accounts AS SELECT
    a.id AS account_id,
    a.external_account_number AS external_account_number,
    a.number AS account_number,
    a.billing_name AS billing_name
    FROM accounts a;
COMMENT ON VIEW analysis_personal.accounts IS 'Numbers and names of accounts.';
COMMENT ON COLUMN analysis_personal.accounts.account_id IS 'Key of the account in analysis.accounts.';
COMMENT ON COLUMN analysis_personal.accounts.external_account_number IS 'Number at the supplier.';
COMMENT ON COLUMN analysis_personal.accounts.account_number IS 'Number given at the import.';
COMMENT ON COLUMN analysis_personal.accounts.billing_name IS 'Name on bills.';

CREATE VIEW analysis_personal.customers AS SELECT
    c.account_id AS account_id,
    c.position AS position,
    c.given_name AS given_name,
    c.family_name AS family_name,
    c.email AS email,
    c.mobile AS mobile,
    c.landline AS landline,
    c.date_of_birth AS date_of_birth
    FROM customers c;
COMMENT ON VIEW analysis_personal.customers IS 'Customers of accounts.';
COMMENT ON COLUMN analysis_personal.customers.account_id IS 'Key of the account in analysis.accounts.';
COMMENT ON COLUMN analysis_personal.customers.position IS 'Number of the customer in its account, from 0.';
COMMENT ON COLUMN analysis_personal.customers.given_name IS 'Given name.';
COMMENT ON COLUMN analysis_personal.customers.family_name IS 'Family name.';
COMMENT ON COLUMN analysis_personal.customers.email IS 'Email address.';
COMMENT ON COLUMN analysis_personal.customers.mobile IS 'Mobile number.';
COMMENT ON COLUMN analysis_personal.customers.landline IS 'Landline number.';
COMMENT ON COLUMN analysis_personal.customers.date_of_birth IS 'Date of birth.';

CREATE VIEW analysis_personal.property_administrators AS SELECT
    a.account_id AS account_id,
    a.position AS position,
    a.supply_address AS supply_address,
    a.given_name AS given_name,
    a.family_name AS family_name,
    a.email AS email,
    a.mobile AS mobile,
    a.landline AS landline
    FROM property_administrators a;
COMMENT ON VIEW analysis_personal.property_administrators IS 'Who administers premises for customers.';
COMMENT ON COLUMN analysis_personal.property_administrators.account_id IS 'Key of the account in analysis.accounts.';
COMMENT ON COLUMN analysis_personal.property_administrators.position IS 'Number of the administrator in the account, from 0.';
COMMENT ON COLUMN analysis_personal.property_administrators.supply_address IS 'Position of the address in analysis.supply_addresses.';
COMMENT ON COLUMN analysis_personal.property_administrators.given_name IS 'Given name.';
COMMENT ON COLUMN analysis_personal.property_administrators.family_name IS 'Family name.';
COMMENT ON COLUMN analysis_personal.property_administrators.email IS 'Email address.';
COMMENT ON COLUMN analysis_personal.property_administrators.mobile IS 'Mobile number.';
COMMENT ON COLUMN analysis_personal.property_administrators.landline IS 'Landline number.';

CREATE VIEW analysis_personal.supply_addresses AS SELECT
    s.account_id AS account_id,
    s.position AS position,
    s.locality AS locality,
    s.postal_code AS postal_code,
    s.details::jsonb AS details
    FROM supply_addresses s;
COMMENT ON VIEW analysis_personal.supply_addresses IS 'Places of supplied premises.';
COMMENT ON COLUMN analysis_personal.supply_addresses.account_id IS 'Key of the account in analysis.accounts.';
COMMENT ON COLUMN analysis_personal.supply_addresses.position IS 'Number of the address in its account, as in analysis.supply_addresses.';
COMMENT ON COLUMN analysis_personal.supply_addresses.locality IS 'Town.';
COMMENT ON COLUMN analysis_personal.supply_addresses.postal_code IS 'Postal code.';
COMMENT ON COLUMN analysis_personal.supply_addresses.details IS 'Other parts of the address, as sent.';

CREATE VIEW analysis_personal.meter_points AS SELECT
    m.account_id AS account_id,
    m.position AS position,
    m.mpxn AS mpxn
    FROM meter_points m;
COMMENT ON VIEW analysis_personal.meter_points IS 'Numbers of meter points.';
COMMENT ON COLUMN analysis_personal.meter_points.account_id IS 'Key of the account in analysis.accounts.';
COMMENT ON COLUMN analysis_personal.meter_points.position IS 'Number of the meter point in its account, as in analysis.meter_points.';
COMMENT ON COLUMN analysis_personal.meter_points.mpxn IS 'Number of the meter point in the market.';

CREATE VIEW analysis_personal.notes AS SELECT
    n.account_id AS account_id,
    n.position AS position,
    n.body AS body,
    n.created_at AS created_at,
    n.is_pinned AS is_pinned
    FROM notes n;
COMMENT ON VIEW analysis_personal.notes IS 'Notes on accounts.';
COMMENT ON COLUMN analysis_personal.notes.account_id IS 'Key of the account in analysis.accounts.';
COMMENT ON COLUMN analysis_personal.notes.position IS 'Number of the note in its account, from 0.';
COMMENT ON COLUMN analysis_personal.notes.body IS 'Text.';
COMMENT ON COLUMN analysis_personal.notes.created_at IS 'When it was written.';
COMMENT ON COLUMN analysis_personal.notes.is_pinned IS 'True if it is shown first.';

\if :{?reader}
GRANT USAGE ON SCHEMA analysis TO :"reader";
GRANT SELECT ON ALL TABLES IN SCHEMA analysis TO :"reader";
\endif
\if :{?personal_reader}
GRANT USAGE ON SCHEMA analysis, analysis_personal TO :"personal_reader";
GRANT SELECT ON ALL TABLES IN SCHEMA analysis, analysis_personal TO :"personal_reader";
\endif
