-- The bodies of `cutover-client send businesses`, one on each line: businesses with their contracts.
SELECT json_object(
  'import_supplier_code', 'KARRI_ENERGY',
  'external_business_identifier', business_no,
  -- What is null in the second object is left out.
  'business', json_patch(
    json_object('business_contracts', (
      SELECT json_group_array(json_object(
        'identifier', contract_no,
        'signed_at_date', substr(signed_on, 7) || '-' || substr(signed_on, 4, 2) || '-' || substr(signed_on, 1, 2),
        'valid_from_date', substr(valid_from, 7) || '-' || substr(valid_from, 4, 2) || '-' || substr(valid_from, 1, 2)))
      FROM contract WHERE contract.business_no = business.business_no)),
    json_object('business_type', legal_form, 'company_name', name, 'company_number', acn)))
FROM business
ORDER BY business_no;
