-- One ledger for each account: its balance at the last bill, and now.
WITH signed AS (
  SELECT acct_no, period, CASE WHEN kind IN ('P', 'K') THEN cents ELSE -cents END AS cents
  FROM posting
), balance AS (
  SELECT acct_no, sum(cents) AS now, sum(CASE period WHEN 'B' THEN cents ELSE 0 END) AS billed
  FROM signed
  GROUP BY acct_no
)
SELECT
  acct_no      AS ACCT_NO,
  '30/09/2026' AS CLOSED_ON,
  '02/10/2026' AS ISSUED_ON,
  printf('%s%d.%02d', CASE WHEN billed < 0 THEN '-' ELSE '' END, abs(billed) / 100, abs(billed) % 100) AS BILLED_BALANCE,
  printf('%s%d.%02d', CASE WHEN now < 0 THEN '-' ELSE '' END, abs(now) / 100, abs(now) % 100) AS BALANCE
FROM balance
ORDER BY acct_no;
