-- The direct debits.
SELECT
  acct_no      AS ACCT_NO,
  mandate_no   AS MANDATE_NO,
  signed_on    AS SIGNED_ON,
  holder       AS HOLDER,
  bank_account AS BANK_ACCOUNT,
  bsb          AS BSB
FROM mandate
ORDER BY acct_no, mandate_no;
