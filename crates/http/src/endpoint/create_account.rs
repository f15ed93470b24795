use super::{Endpoint, Kind};
use crate::answer::empty_object;
use crate::call::{Answer, Call};
use crate::limits::blocking::{Slot, Slots};
use crate::openapi::{self, ACCOUNT_BODY, Operation, empty_response, refusals};
use crate::refusal::Refusal;
use crate::request::body::Body;
use crate::service::Service;
use crate::service::work::Work;
use actix_web::http::Method;
use actix_web::http::StatusCode;
use cutover_app::App;
use cutover_app::account::{CheckAccount, CreateStep};
use cutover_app::port::Creation;
use std::sync::Arc;

/// `POST /v2/data-import/accounts/`: 201 `{}` once the payload is durably stored (contract 4.1, D5).
pub(crate) const ENDPOINT: Endpoint = Endpoint {
    method: Method::POST,
    template: "/v2/data-import/accounts/",
    kind: Kind::Api,
    handler: handle,
    operation: Some(Operation {
        id: "createAccount",
        tag: openapi::ACCOUNTS,
        summary: "Accepts an account for import",
        notes: "Answered once the account is durably stored and scheduled. Sending the same account again is safe: \
                while it is pending nothing changes, and after a failed attempt a new one starts.",
        body: ACCOUNT_BODY,
        answers: &[empty_response(201, "The account is stored and will be imported.")],
        refusals: refusals::of_create,
        ..Operation::BASE
    }),
};

fn handle(call: &mut Call) -> Answer<'_> {
    Box::pin(async move {
        let caller = call.caller().await?;
        let body = call.body().await?;
        let organisation = Some(caller.organisation_id);
        create(call.service(), organisation, CheckAccount::new(caller, call.request_id()), body, None)
            .await?;
        Ok(empty_object(StatusCode::CREATED))
    })
}

/// Performs the steps of a create for an organisation without blocking the event loop, and returns the stored account.
/// If `slots` is given, steps that take a thread first take one of them.
///
/// # Errors
/// The use case's refusal, or [`Refusal::Unavailable`] if no slot was free.
pub(super) async fn create(
    service: &Arc<Service>,
    organisation: Option<i64>,
    check: CheckAccount,
    mut body: Body,
    slots: Option<&Slots>,
) -> Result<Arc<Creation>, Refusal> {
    let mut step = service.check_cached(&body, check)?;
    // Held while documents are looked up, which bounds the number of accounts that wait for documents.
    let mut slot = None;
    loop {
        step = match step {
            CreateStep::Check(check) => {
                if slot.is_none() {
                    slot = take_slot(slots, organisation).await?;
                }
                let check = move |app: &App, body: &[u8]| Ok(check.run(app, body)?);
                let (next, checked) = service.run_on_body(organisation, body, Work::Reads, check).await?;
                body = checked;
                next
            }
            CreateStep::LookUp(look_up) => {
                let found = service.app.look_up(look_up.wanted()).await?;
                look_up.found(found)
            }
            CreateStep::Stage(stage) => {
                slot = None;
                let staging = service.stage(stage.creation().clone()).await?;
                stage.staged(staging)?
            }
            CreateStep::Resubmit(resubmit) => {
                let _slot = take_slot(slots, organisation).await?;
                let weight = service.weights.take(body.len()).await?;
                let run = move |app: &App| {
                    let _weight = weight;
                    Ok(resubmit.run(app)?)
                };
                service.run(organisation, run).await?
            }
            CreateStep::Done(creation) => return Ok(creation),
        };
    }
}

/// Takes one of these slots, without a time limit.
///
/// # Errors
/// [`Refusal::Unavailable`] if the service is being closed.
pub(super) async fn take_slot(
    slots: Option<&Slots>,
    organisation: Option<i64>,
) -> Result<Option<Slot>, Refusal> {
    let Some(slots) = slots else { return Ok(None) };
    slots.take(organisation).await.map(Some).map_err(|_| no_slot_for_line())
}

/// Returns the refusal of a line for which no slot is left.
pub(super) fn no_slot_for_line() -> Refusal {
    Refusal::Unavailable("no slot for a line".into())
}

#[cfg(test)]
mod tests {
    use crate::testing::{ACCOUNT, ELECTRICITY, TestService};
    use chrono::Duration;
    use cutover_app::operator::SupplierChange;
    use cutover_app::port::{DocumentState, PageLimit, ProcessFilter, Store, StoreError, read};
    use cutover_core::SupplierStatus;
    use cutover_testkit::memory::Fault;
    use serde_json::Value;

    const PATH: &str = "/v2/data-import/accounts/";

    fn processes(service: &TestService) -> usize {
        let list = |tx: &mut dyn cutover_app::port::Tx| {
            tx.list_processes(1, ProcessFilter::default(), None, PageLimit::of(100))
        };
        read(&*service.store as &dyn Store, list).unwrap().processes.len()
    }

    #[actix_web::test]
    async fn a_created_account_is_stored_and_may_be_sent_again() {
        let service = TestService::new();
        assert_eq!(service.post(PATH, ACCOUNT).await.line(), "201 {}");
        assert_eq!(service.post(PATH, ACCOUNT).await.line(), "201 {}");
        assert_eq!(processes(&service), 1);
    }

    #[actix_web::test]
    async fn each_refusal_has_its_body() {
        let service = TestService::new();
        let mut lines = Vec::new();
        let faulty = ACCOUNT.replace("\"external_account_number\"", "\"number\"");
        lines.push(service.post(PATH, faulty.clone()).await.line());
        lines.push(service.post(PATH, "{").await.line());
        set_status(&service, SupplierStatus::Paused);
        lines.push(service.post(PATH, ACCOUNT).await.line());
        assert_eq!(service.post(PATH, faulty).await.line(), lines[0], "faults come first");
        set_status(&service, SupplierStatus::Complete);
        assert_eq!(service.post(PATH, ACCOUNT).await.line(), lines[2]);
        set_status(&service, SupplierStatus::Ongoing);
        assert_eq!(processes(&service), 0);
        service.post(PATH, ACCOUNT).await;
        service.import_pending();
        service.clock.advance(Duration::seconds(1));
        lines.push(service.post(PATH, ACCOUNT).await.line());
        insta::assert_snapshot!(lines.join("\n"));
    }

    #[actix_web::test]
    async fn cached_supplier_settings_do_not_decide_a_create() {
        let service = TestService::new();
        let account = |number: &str| {
            let mut account: Value = serde_json::from_str(ACCOUNT).unwrap();
            account["external_account_number"] = number.into();
            account.to_string()
        };
        let is_dry_run = |number: &str| {
            let process = |tx: &mut dyn cutover_app::port::Tx| tx.process(1, &number.parse().unwrap());
            let found = read(&*service.store as &dyn Store, process).unwrap();
            found.unwrap().process.is_dry_run()
        };
        for (number, dry_run) in [("A-1", false), ("A-2", true), ("A-3", false)] {
            service.set_supplier(SupplierChange { dry_run: Some(dry_run), ..SupplierChange::default() });
            assert_eq!(service.post(PATH, account(number)).await.line(), "201 {}");
            assert_eq!(is_dry_run(number), dry_run, "{number}");
        }
        // With an unchanged supplier the store is not read.
        service.store.set_fault(Some(Fault::OfReads(StoreError::Failed("it is not asked".into()))));
        assert_eq!(service.post(PATH, account("A-4")).await.line(), "201 {}");
    }

    #[actix_web::test]
    async fn documents_are_looked_up_if_the_supplier_verifies_them() {
        let service = TestService::new();
        service.verify_documents();
        let refused = service.post(PATH, ELECTRICITY).await;
        assert_eq!((refused.status, service.documents.look_ups(), processes(&service)), (400, 1, 0));
        assert_eq!(refused.json()["code"], "import_process_failed_validation");
        service.documents.set_down(true);
        assert_eq!(service.post(PATH, ELECTRICITY).await.status, 503);
        service.documents.set_down(false);
        for path in documents(&serde_json::from_str(ELECTRICITY).unwrap()) {
            service.documents.set("/ACME_ENERGY", path.trim_start_matches('/'), DocumentState::Pdf);
        }
        assert_eq!(service.post(PATH, ELECTRICITY).await.line(), "201 {}");
        assert_eq!(processes(&service), 1);
    }

    /// Returns every document that a payload names.
    fn documents(payload: &Value) -> Vec<String> {
        match payload {
            Value::Object(members) => {
                let named = members.iter().filter(|(name, _)| name.ends_with("_path"));
                let named = named.filter_map(|(_, path)| path.as_str().map(str::to_owned));
                named.chain(members.values().flat_map(documents)).collect()
            }
            Value::Array(items) => items.iter().flat_map(documents).collect(),
            _ => Vec::new(),
        }
    }

    fn set_status(service: &TestService, status: SupplierStatus) {
        let change = SupplierChange { status: Some(status), ..SupplierChange::default() };
        service.set_supplier(change);
    }
}
