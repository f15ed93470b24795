use crate::at::At;
use crate::check::Checker;
use crate::rule::{Needs, On, Rule};
use cutover_core::{Code, Level, RuleId};
use cutover_model::draft::Account;

/// A supplier that the organisation does not have; offline nobody knows.
pub(crate) const PST_01: Rule = Rule {
    id: RuleId("PST-01"),
    codes: &[Code::ImportSupplierNotFound],
    place: "`import_supplier`, `import_supplier_code`",
    condition: "unknown supplier",
    level: Level::Error,
    fixed: true,
    needs: Needs::Service,
    on: On::Account(check),
};

fn check(account: &Account<'_>, checker: &mut Checker<'_>) {
    let is_unknown = checker.facts.supplier_known == Some(false);
    if is_unknown && account.import_supplier.usable().is_some() {
        checker.report(At::ROOT.member("import_supplier"), Code::ImportSupplierNotFound);
    }
}

#[cfg(test)]
mod tests {
    use crate::Facts;
    use crate::testing::{facts, of_with};
    use serde_json::{Value, json};

    fn found(supplier_known: Option<bool>, supplier: Value) -> Vec<String> {
        of_with("PST-01", json!({"import_supplier": supplier}), Facts { supplier_known, ..facts() })
    }

    #[test]
    fn the_supplier_is_known() {
        assert_eq!(found(Some(false), json!("ACME")), ["import_supplier import_supplier_not_found (error)"]);
        assert_eq!(found(Some(true), json!("ACME")), [""; 0]);
        assert_eq!(found(None, json!("ACME")), [""; 0]);
        for faulty in [json!(""), json!(7), json!(null)] {
            assert_eq!(found(Some(false), faulty), [""; 0]);
        }
    }
}
