-- The bodies of `cutover-client send notes`, one on each line: what was noted after the extract.
SELECT json_object(
  'import_supplier', 'KARRI_ENERGY',
  'external_account_number', acct_no,
  'notes', json_group_array(json_object('body', text, 'created_at', called_at)))
FROM call_log
GROUP BY acct_no
ORDER BY acct_no;
