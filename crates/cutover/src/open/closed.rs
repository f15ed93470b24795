use cutover_app::port::{
    Answer, DocumentState, Documents, DocumentsUnavailable, PaymentVendors, Store, StoreError, Tx, Vendor,
    VendorError, VendorInstruction, WantedDocument, WebhookAnswer, WebhookDone, WebhookRequest,
    WebhookSender, WriteJob,
};
use std::future::ready;

const CAUSE: &str = "this command did not open it";

/// Documents, vendors and webhooks of commands that use none of them: every call fails, and nothing is opened.
pub(super) struct Closed;

impl Documents for Closed {
    fn ready(&self) -> Answer<'_, Result<(), DocumentsUnavailable>> {
        Box::pin(ready(Err(DocumentsUnavailable(CAUSE.into()))))
    }

    fn look_up<'a>(
        &'a self,
        _: &'a str,
        _: &'a [WantedDocument],
    ) -> Answer<'a, Result<Vec<DocumentState>, DocumentsUnavailable>> {
        Box::pin(ready(Err(DocumentsUnavailable(CAUSE.into()))))
    }
}

impl PaymentVendors for Closed {
    fn look_up<'a>(
        &'a self,
        _: &'a Vendor,
        _: &'a str,
    ) -> Answer<'a, Result<Option<VendorInstruction>, VendorError>> {
        Box::pin(ready(Err(VendorError::Unavailable(CAUSE.into()))))
    }

    fn check_base_url(&self, _: &str) -> Result<(), String> {
        Err(CAUSE.into())
    }

    fn probe<'a>(&'a self, _: &'a Vendor) -> Answer<'a, Result<(), VendorError>> {
        Box::pin(ready(Err(VendorError::Unavailable(CAUSE.into()))))
    }
}

impl WebhookSender for Closed {
    fn check_url(&self, _: &str) -> Result<(), String> {
        Err(CAUSE.into())
    }

    fn send(&self, _: WebhookRequest, done: WebhookDone) {
        done(WebhookAnswer::Failed(CAUSE.into()));
    }
}

/// A database that is not open yet: every call fails as during an outage.
pub(super) struct Awaited;

impl Awaited {
    fn outage() -> StoreError {
        StoreError::Unavailable("this process still waits for it".into())
    }
}

impl Store for Awaited {
    fn read(&self, _: &mut dyn FnMut(&mut dyn Tx) -> Result<(), StoreError>) -> Result<(), StoreError> {
        Err(Self::outage())
    }

    fn write(&self, _: WriteJob) -> Result<(), StoreError> {
        Err(Self::outage())
    }

    fn ping(&self) -> Result<(), StoreError> {
        Err(Self::outage())
    }
}
