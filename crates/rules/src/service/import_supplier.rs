use crate::prelude::*;

/// An import supplier that the organisation does not have. Silent offline.
pub(super) const PST_01: Rule = Rule {
    id: RuleId("PST-01"),
    codes: &[Code::ImportSupplierNotFound],
    place: "`import_supplier`, `import_supplier_code`",
    condition: "unknown supplier, in validate, create, businesses and payment instructions (notes, transactions, \
        statements: PST-03)",
    on: On::Several(&[
        On::Account(account),
        On::InstructionRequest(instruction),
        On::BusinessInstructionRequest(business_instruction),
        On::BusinessRequest(business),
    ]),
    ..Rule::OF_SERVICE
};

fn account(account: &Account<'_>, checker: &mut Checker<'_>) {
    check(&account.import_supplier, "import_supplier", checker);
}

fn instruction(request: &PaymentInstructionRequest<'_>, checker: &mut Checker<'_>) {
    check(&request.import_supplier, "import_supplier", checker);
}

fn business_instruction(request: &BusinessPaymentInstructionRequest<'_>, checker: &mut Checker<'_>) {
    check(&request.import_supplier_code, "import_supplier_code", checker);
}

fn business(request: &BusinessRequest<'_>, checker: &mut Checker<'_>) {
    check(&request.import_supplier_code, "import_supplier_code", checker);
}

fn check(supplier: &Field<Text<'_>>, name: &'static str, checker: &mut Checker<'_>) {
    if checker.facts.supplier_known == Some(false) && supplier.usable().is_some() {
        checker.report(At::ROOT.member(name), Code::ImportSupplierNotFound);
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::*;

    fn found(supplier_known: Option<bool>, supplier: Value) -> Vec<String> {
        run_with("PST-01", json!({"import_supplier": supplier}), Facts { supplier_known, ..facts() })
    }

    #[test]
    fn an_unknown_supplier_is_reported() {
        assert_eq!(found(Some(false), json!("ACME")), ["import_supplier import_supplier_not_found (error)"]);
        assert_eq!(found(Some(true), json!("ACME")), [""; 0]);
        assert_eq!(found(None, json!("ACME")), [""; 0]);
        for faulty in [json!(""), json!(7), json!(null)] {
            assert_eq!(found(Some(false), faulty), [""; 0]);
        }
    }

    #[test]
    fn requests_after_the_import_are_checked() {
        let unknown = || Facts { supplier_known: Some(false), ..facts() };
        let (body, code) = (json!({"import_supplier": "ACME"}), json!({"import_supplier_code": "ACME"}));
        let at_code = ["import_supplier_code import_supplier_not_found (error)"];
        assert_eq!(
            run_instruction("PST-01", &body, unknown()),
            ["import_supplier import_supplier_not_found (error)"]
        );
        assert_eq!(run_business("PST-01", &code, unknown()), at_code);
        assert_eq!(run_business_instruction("PST-01", &code, unknown()), at_code);
        assert_eq!(run_business("PST-01", &code, facts()), [""; 0]);
        assert_eq!(run_business("PST-01", json!({"import_supplier_code": " "}), unknown()), [""; 0]);
    }

    #[test]
    fn silent_in_requests_that_look_up_the_account() {
        let unknown = || Facts { supplier_known: Some(false), ..facts() };
        let body = json!({"import_supplier": "ACME"});
        assert_eq!(run_notes("PST-01", &body, unknown()), [""; 0]);
        assert_eq!(run_transactions("PST-01", &body, unknown()), [""; 0]);
        assert_eq!(run_statements("PST-01", &body, unknown()), [""; 0]);
    }
}
