-- The postings of the ledgers. Amounts have no sign: it follows from the kind.
SELECT
  acct_no      AS ACCT_NO,
  posting_no   AS POSTING_NO,
  period       AS PERIOD,
  booked_on    AS BOOKED_ON,
  printf('%d.%02d', cents / 100, cents % 100) AS AMOUNT,
  kind         AS KIND,
  text         AS TEXT,
  tariff       AS TARIFF,
  payment_type AS PAYMENT_TYPE
FROM posting
ORDER BY acct_no, posting_no;
