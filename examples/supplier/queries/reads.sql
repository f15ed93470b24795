-- The readings: those that were billed, and those of the transfer. PURPOSE says which.
SELECT
  acct_no                           AS ACCT_NO,
  point_no                          AS POINT_NO,
  serial_no                         AS SERIAL_NO,
  purpose   AS PURPOSE,
  register  AS REGISTER,
  read_on   AS READ_ON,
  value     AS VALUE,
  source    AS SOURCE,
  CASE WHEN purpose = 'B' THEN 'Y' END AS BILLED,
  CASE WHEN fuel = 'G' THEN 'M' END AS GAS_UNIT
FROM reading JOIN meter USING (serial_no) JOIN supply_point USING (point_no) JOIN site USING (site_no)
ORDER BY acct_no, point_no, serial_no, purpose DESC, register, reading.rowid;
