-- The registers of electricity meters.
SELECT
  acct_no            AS ACCT_NO,
  point_no           AS POINT_NO,
  serial_no          AS SERIAL_NO,
  register           AS REGISTER,
  register.billed_to AS BILLED_TO
FROM register JOIN meter USING (serial_no) JOIN supply_point USING (point_no) JOIN site USING (site_no)
ORDER BY acct_no, point_no, serial_no, register;
