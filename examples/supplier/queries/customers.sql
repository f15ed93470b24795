-- The people who hold accounts: one row for each of their accounts.
SELECT
  acct_no     AS ACCT_NO,
  title       AS TITLE,
  given_name  AS GIVEN_NAME,
  family_name AS FAMILY_NAME,
  email       AS EMAIL,
  mobile      AS MOBILE,
  landline    AS LANDLINE,
  born_on     AS BORN_ON,
  cust_no     AS CUST_NO
FROM account JOIN customer USING (cust_no)
ORDER BY acct_no;
