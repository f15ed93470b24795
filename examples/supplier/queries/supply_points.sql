-- The meter points of all kinds. Columns that only gas or only unmetered supplies have are empty for others.
SELECT
  acct_no                                AS ACCT_NO,
  point_no                               AS POINT_NO,
  fuel                                   AS FUEL,
  supply_point.since                     AS SINCE,
  CASE WHEN fuel = 'U' THEN remark END   AS BUILDING_NMI,
  CASE WHEN fuel = 'U' THEN 'AC' END     AS APPLIANCE,
  CASE WHEN fuel = 'G' THEN position END AS METER_POSITION,
  CASE WHEN fuel = 'G' THEN remark END   AS GAS_CLASS,
  CASE WHEN fuel = 'G' THEN suburb END   AS GAS_SUBURB,
  CASE WHEN fuel = 'G' THEN state END    AS GAS_STATE,
  CASE WHEN fuel = 'G' THEN postcode END AS GAS_POSTCODE,
  CASE WHEN fuel = 'G' THEN 'COM' END    AS GAS_STATUS,
  CASE WHEN fuel = 'G' THEN '400' END    AS HEATING_ZONE,
  CASE WHEN fuel = 'G' THEN 'VICGAS' END AS GAS_MARKET
FROM supply_point JOIN site USING (site_no)
ORDER BY acct_no, point_no;
