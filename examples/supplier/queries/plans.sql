-- The regular payments.
SELECT
  acct_no AS ACCT_NO,
  printf('%d.%02d', cents / 100, cents % 100) AS AMOUNT,
  day     AS DAY,
  since   AS SINCE
FROM plan
ORDER BY acct_no;
