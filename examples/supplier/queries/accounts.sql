-- One row for each account. The balance is the sum of all postings: payments and credits less charges.
WITH balance AS (
  SELECT acct_no, sum(CASE WHEN kind IN ('P', 'K') THEN cents ELSE -cents END) AS cents
  FROM posting
  GROUP BY acct_no
)
SELECT
  acct_no       AS ACCT_NO,
  CASE class WHEN 'V' THEN 'Y' ELSE 'N' END AS VACANT,
  bill_name     AS BILL_NAME,
  bill_line     AS BILL_LINE,
  bill_postcode AS BILL_POSTCODE,
  channel       AS CHANNEL,
  sold_on       AS SOLD_ON,
  billed_to     AS BILLED_TO,
  contract_no   AS CONTRACT_NO,
  printf('%s%d.%02d', CASE WHEN cents < 0 THEN '-' ELSE '' END, abs(cents) / 100, abs(cents) % 100) AS BALANCE
FROM account JOIN balance USING (acct_no)
ORDER BY acct_no;
