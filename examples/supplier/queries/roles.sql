-- Who plays which part at a gas point: the retailer, and the distributor.
SELECT acct_no AS ACCT_NO, point_no AS POINT_NO, party AS PARTY, role AS ROLE
FROM supply_point JOIN site USING (site_no)
CROSS JOIN (SELECT 'KARRIGAS' AS party, 'FRO' AS role UNION ALL SELECT 'SOUTHPIPES', 'DB')
WHERE fuel = 'G'
ORDER BY acct_no, point_no, role DESC;
