-- The tax in supply charges.
SELECT
  acct_no    AS ACCT_NO,
  posting_no AS POSTING_NO,
  period     AS PERIOD,
  printf('%d.%02d', charge_tax.cents / 100, charge_tax.cents % 100) AS AMOUNT,
  printf('%d.%02d', of_cents / 100, of_cents % 100) AS TAXED
FROM charge_tax JOIN posting USING (posting_no)
ORDER BY acct_no, posting_no;
