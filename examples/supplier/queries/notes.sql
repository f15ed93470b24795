-- The notes until the extract.
SELECT acct_no AS ACCT_NO, written_at AS WRITTEN_AT, text AS TEXT
FROM note
ORDER BY acct_no, note_no;
