-- The supplied premises.
SELECT
  acct_no     AS ACCT_NO,
  house       AS HOUSE,
  street      AS STREET,
  street_type AS STREET_TYPE,
  suburb      AS SUBURB,
  state       AS STATE,
  postcode    AS POSTCODE,
  since       AS SINCE
FROM site
ORDER BY acct_no, site_no;
