-- The lines of supply charges.
SELECT
  acct_no    AS ACCT_NO,
  posting_no AS POSTING_NO,
  period     AS PERIOD,
  band       AS BAND,
  from_day   AS FROM_DAY,
  to_day     AS TO_DAY,
  units      AS UNITS,
  printf('%d.%02d', charge_line.cents / 100, charge_line.cents % 100) AS AMOUNT,
  price      AS PRICE
FROM charge_line JOIN posting USING (posting_no)
ORDER BY acct_no, posting_no, from_day;
