use cutover_app::port::{Answer, InstructionDetails, PaymentVendors, Vendor, VendorError, VendorInstruction};
use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

/// The answer of a vendor for a reference.
type Said = Result<Option<VendorInstruction>, VendorError>;

/// Payment vendors with answers set by a test, the same for all vendors; without instructions at first.
#[derive(Debug, Default)]
pub struct FakeVendors {
    answers: Mutex<HashMap<String, Said>>,
    look_ups: AtomicUsize,
}

impl FakeVendors {
    /// Sets the answer for a reference.
    pub fn answer(&self, reference: &str, answer: Said) {
        let mut answers = self.answers.lock().unwrap_or_else(PoisonError::into_inner);
        answers.insert(reference.to_owned(), answer);
    }

    /// Adds an instruction of this kind (`CARD`, `DIRECT_DEBIT`, …).
    pub fn has(&self, reference: &str, kind: &str, details: InstructionDetails) {
        self.answer(reference, Ok(Some(VendorInstruction { kind: kind.to_owned(), details })));
    }

    /// Number of look-ups of references so far, failed ones included.
    pub fn look_ups(&self) -> usize {
        self.look_ups.load(Ordering::SeqCst)
    }
}

impl PaymentVendors for FakeVendors {
    fn look_up<'a>(&'a self, _: &'a Vendor, reference: &'a str) -> Answer<'a, Said> {
        self.look_ups.fetch_add(1, Ordering::SeqCst);
        let answers = self.answers.lock().unwrap_or_else(PoisonError::into_inner);
        Box::pin(std::future::ready(answers.get(reference).cloned().unwrap_or(Ok(None))))
    }

    /// Accepts all texts except those that start with `bad`.
    fn check_base_url(&self, base_url: &str) -> Result<(), String> {
        if base_url.starts_with("bad") { Err("the base URL is bad".into()) } else { Ok(()) }
    }

    /// Answers unless the base URL is bad.
    fn probe<'a>(&'a self, vendor: &'a Vendor) -> Answer<'a, Result<(), VendorError>> {
        let answer = self.check_base_url(&vendor.base_url).map_err(VendorError::Unavailable);
        Box::pin(std::future::ready(answer))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::now;
    use cutover_app::port::VendorKind;

    fn vendor(base_url: &str) -> Vendor {
        Vendor {
            organisation_id: 1,
            organisation: "Acme".into(),
            name: "pay".into(),
            kind: VendorKind::Http.into(),
            base_url: base_url.into(),
            secret_env: None,
            created_at: Default::default(),
        }
    }

    #[test]
    fn they_give_the_configured_answers() {
        let (vendors, pay) = (FakeVendors::default(), vendor("https://pay"));
        vendors.has("r-1", "CARD", InstructionDetails::default());
        let rejected = VendorError::Rejected("on purpose".into());
        vendors.answer("r-2", Err(rejected.clone()));
        assert_eq!(now(vendors.look_up(&pay, "r-1")).unwrap().unwrap().kind, "CARD");
        assert_eq!(now(vendors.look_up(&pay, "r-2")), Err(rejected));
        assert_eq!(now(vendors.look_up(&pay, "r-3")), Ok(None));
        assert_eq!(vendors.look_ups(), 3);
    }

    #[test]
    fn bad_addresses_are_refused() {
        let vendors = FakeVendors::default();
        assert_eq!(vendors.check_base_url("https://pay"), Ok(()));
        assert!(vendors.check_base_url("bad://pay").is_err());
        assert_eq!(now(vendors.probe(&vendor("https://pay"))), Ok(()));
        assert!(now(vendors.probe(&vendor("bad://pay"))).is_err());
    }
}
