-- The house numbers in the addresses of gas points.
SELECT
  acct_no  AS ACCT_NO,
  point_no AS POINT_NO,
  house    AS HOUSE
FROM supply_point JOIN site USING (site_no)
WHERE fuel = 'G'
ORDER BY acct_no, point_no;
