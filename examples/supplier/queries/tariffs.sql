-- The tariffs that are agreed for meter points.
SELECT
  acct_no               AS ACCT_NO,
  point_no              AS POINT_NO,
  tariff                AS TARIFF,
  valid_from            AS VALID_FROM,
  valid_to              AS VALID_TO,
  agreement.contract_no AS CONTRACT_NO
FROM agreement JOIN supply_point USING (point_no) JOIN site USING (site_no)
ORDER BY acct_no, point_no;
