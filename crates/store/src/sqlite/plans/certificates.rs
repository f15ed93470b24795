//! Certificates: accounts by number, and leaves by their subtrees.

use super::{assert_no_scan, assert_uses, database, plan_of};
use crate::sqlite::testing::at;
use cutover_app::port::CertificateSubtree;
use cutover_model::{ContentHash, Totals};

#[test]
fn accounts_and_leaves_are_found_by_their_keys() {
    let folder = tempfile::tempdir().unwrap();
    let (mut conn, _) = database(folder.path());
    let plan = plan_of(&mut conn, |tx| {
        assert_eq!(tx.accounts_to_certify(1, "", 10)?.len(), 1);
        tx.certify_addition(1, &[ContentHash([1; 32])], &Totals { documents: 1, ..Totals::default() })
    });
    assert_no_scan(&plan);
    assert!(!plan.iter().any(|step| step.contains("TEMP B-TREE")), "{plan:#?}");
    assert_uses(&plan, "(supplier_id=? AND external_account_number>?)");
    let plan = plan_of(&mut conn, |tx| {
        let id = tx.begin_certificate(1, "c1", at(1), true)?;
        let (first_number, leaves) = (Some("A".to_owned()), vec![1]);
        let subtree = CertificateSubtree { position: 0, first_number, root: [0; 32], leaves };
        tx.add_certificate_subtree(id, &subtree)?;
        tx.add_certificate_erasure(id, "B")?;
        tx.lock_certificates(1)?;
        tx.take_certificate_erasures(id)?;
        tx.complete_certificate(id, "{}")?;
        assert!(tx.certificate_subtree_of(id, "B")?.is_some());
        tx.replace_certificate_subtree(id, &subtree)?;
        tx.certificate_roots(id)?;
        tx.certificate(1, Some("c1"))?;
        tx.certificate(1, None)?;
        tx.certificates(1, 9)?;
        tx.replaceable_certificates(1, 9)?;
        tx.remove_certificate_leaves(id, 9)?;
        tx.remove_certificate(id)
    });
    assert_no_scan(&plan);
    assert!(!plan.iter().any(|step| step.contains("TEMP B-TREE")), "{plan:#?}");
    assert_uses(&plan, "certificate_subtrees_by_number (certificate_id=? AND first_number<?)");
    assert_uses(&plan, "certificates_of_supplier (supplier_id=?");
}
