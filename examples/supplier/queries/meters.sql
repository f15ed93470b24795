-- The meters. The form of a gas meter is the same for all that this supplier has.
SELECT
  acct_no                                AS ACCT_NO,
  point_no                               AS POINT_NO,
  serial_no                              AS SERIAL_NO,
  installed_on                           AS INSTALLED_ON,
  CASE WHEN fuel = 'G' THEN 'M' END      AS GAS_UNIT,
  CASE WHEN fuel = 'G' THEN '1.1' END    AS GAS_PRESSURE,
  CASE WHEN fuel = 'G' THEN '5' END      AS GAS_DIALS,
  CASE WHEN fuel = 'G' THEN position END AS GAS_POSITION,
  CASE WHEN fuel = 'G' THEN 'ON' END     AS GAS_STATUS,
  CASE WHEN fuel = 'G' THEN 'Basic' END  AS GAS_POINT_CODE,
  CASE WHEN fuel = 'G' THEN point_no END AS GAS_POINT_NO
FROM meter JOIN supply_point USING (point_no) JOIN site USING (site_no)
ORDER BY acct_no, point_no, serial_no;
