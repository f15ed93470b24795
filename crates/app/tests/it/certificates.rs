use crate::env::TestEnv;
use chrono::TimeDelta;
use cutover_app::certificate::{CertificateError, IssuedCertificate, LeavesOf};
use cutover_app::operator::{OperatorError, SupplierChange};
use cutover_app::port::{Clock, read, write};

impl TestEnv {
    /// Issues a certificate that a supplier or a reader asks for.
    fn ask_for_certificate(&self) -> IssuedCertificate {
        let supplier = self.app.supplier_to_certify(&self.caller, "ACME").unwrap();
        self.app.issue_certificate(&supplier).unwrap()
    }

    fn issue_by_command(&self) -> IssuedCertificate {
        self.app.as_command().issue_certificate("ACME").unwrap()
    }

    fn has_leaves(&self, issued: &IssuedCertificate) -> bool {
        let (id, number) = (&issued.certificate.id, "A-1");
        match self.app.certificate_proof(&self.caller, "ACME", id, number) {
            Ok(proof) => proof.proves(&issued.certificate),
            Err(CertificateError::LeavesRemoved) => false,
            Err(error) => panic!("{error}"),
        }
    }

    /// Returns true for each of these certificates that has leaves.
    fn with_leaves<const N: usize>(&self, issued: [&IssuedCertificate; N]) -> [bool; N] {
        issued.map(|issued| self.has_leaves(issued))
    }
}

/// An environment with an account and a supplier in a time zone.
fn env_in(zone: &str) -> TestEnv {
    let env = TestEnv::with(r#""customers":[{"family_name":"B"}],"ledgers":[{"ledger_balance":"7.50"}]"#);
    let time_zone = Some(zone.parse().unwrap());
    env.app
        .as_command()
        .set_supplier("ACME", SupplierChange { time_zone, ..SupplierChange::default() })
        .unwrap();
    env
}

/// The clock of the fixtures moves to noon of its next day in UTC.
fn go_to_next_noon(env: &TestEnv) {
    let now = env.clock.now();
    let noon = now.date_naive().succ_opt().unwrap().and_hms_opt(12, 0, 0).unwrap().and_utc();
    env.clock.advance(noon - now);
}

#[test]
fn leaves_are_kept_until_an_operator_removes_them() {
    let env = env_in("UTC");
    go_to_next_noon(&env);
    let night = env.issue_by_command();
    let requested: Vec<_> = (0..12).map(|_| env.ask_for_certificate()).collect();
    assert!(env.has_leaves(&night));
    // The latest ten of them are left for clients that are reading them.
    let kept: Vec<bool> = requested.iter().map(|issued| env.has_leaves(issued)).collect();
    assert_eq!(kept, [[false; 2].as_slice(), &[true; 10]].concat());

    let of = LeavesOf::One(night.certificate.id.clone());
    assert_eq!(env.app.as_command().removable_leaves("ACME", &of).unwrap(), 1);
    assert!(env.has_leaves(&night));
    assert_eq!(env.app.as_command().remove_leaves("ACME", &of).unwrap(), 1);
    assert!(!env.has_leaves(&night));
    assert_eq!(env.app.as_command().remove_leaves("ACME", &of).unwrap(), 0);
    let kept = env.app.certificate(&env.caller, "ACME", Some(&night.certificate.id)).unwrap();
    assert_eq!(kept.document, night.document);
    let nobody = LeavesOf::One("nobody".into());
    assert!(matches!(
        env.app.as_command().remove_leaves("ACME", &nobody),
        Err(OperatorError::NotFound { .. })
    ));
}

/// In Melbourne a day ends at 13:00 or 14:00 in UTC.
#[test]
fn the_last_certificate_of_each_day_keeps_its_leaves() {
    let env = env_in("Australia/Melbourne");
    go_to_next_noon(&env);
    let [first, last] = [(); 2].map(|()| env.ask_for_certificate());
    env.clock.advance(TimeDelta::hours(3));
    let next_day: Vec<_> = (0..20).map(|_| env.ask_for_certificate()).collect();
    assert_eq!(env.with_leaves([&first, &last]), [false, true]);
    assert_eq!(next_day.iter().filter(|issued| env.has_leaves(issued)).count(), 10);
    env.clock.advance(TimeDelta::days(1));
    let time = env.clock.now();
    let later: Vec<_> = (0..20).map(|_| env.ask_for_certificate()).collect();
    assert_eq!(env.with_leaves([&last, &next_day[19]]), [true; 2]);
    assert_eq!(next_day.iter().filter(|issued| env.has_leaves(issued)).count(), 1);

    let before = LeavesOf::Before(time);
    assert_eq!(env.app.as_command().remove_leaves("ACME", &before).unwrap(), 2);
    assert_eq!(env.with_leaves([&last, &next_day[19], &later[19]]), [false, false, true]);
}

/// A transaction removes the account from eight certificates, so this takes several.
#[test]
fn an_account_is_erased_from_many_certificates() {
    let env = env_in("UTC");
    let issued: Vec<_> = (0..20).map(|_| env.issue_by_command()).collect();
    let supplier = env.app.supplier_to_certify(&env.caller, "ACME").unwrap();
    // It is being issued by another process.
    let id = supplier.id;
    let begun = write(&*env.store, move |tx| tx.begin_certificate(id, "begun", env_time(), false)).unwrap();
    env.app.as_command().erase_account("ACME", "A-1", "asked for").unwrap();
    for issued in &issued {
        let proof = env.app.certificate_proof(&env.caller, "ACME", &issued.certificate.id, "A-1");
        assert!(matches!(proof, Err(CertificateError::NotFound)), "{proof:?}");
    }
    let noted = write(&*env.store, move |tx| tx.take_certificate_erasures(begun)).unwrap();
    assert_eq!(noted, ["A-1"]);
    let with_leaves = read(&*env.store, |tx| tx.certificates(id, 100)).unwrap();
    assert!(with_leaves.iter().all(|certificate| certificate.has_leaves));
}

fn env_time() -> chrono::DateTime<chrono::Utc> {
    cutover_testkit::FakeClock::of_fixtures().now()
}
