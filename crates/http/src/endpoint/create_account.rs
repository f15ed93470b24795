use crate::answer::empty_object;
use crate::call::{Answer, Call, Work};
use actix_web::http::StatusCode;

/// `POST /v2/data-import/accounts/`: 201 `{}` once the payload is durably stored (contract 4.1, decisions D5).
pub(crate) fn handle(call: &mut Call) -> Answer<'_> {
    Box::pin(async move {
        let caller = call.caller().await?;
        let body = call.body().await?;
        let id = call.request_id();
        let create = call.run_with_documents(body, Work::Writes, move |app, body, found| {
            Ok(app.create_account(&caller, id.clone(), body, found)?)
        });
        create.await?;
        Ok(empty_object(StatusCode::CREATED))
    })
}

#[cfg(test)]
mod tests {
    use crate::testing::{ACCOUNT, ELECTRICITY, House};
    use chrono::Duration;
    use cutover_app::operator::SupplierChange;
    use cutover_app::port::{DocumentState, Store, read};
    use cutover_core::SupplierStatus;
    use serde_json::Value;

    const PATH: &str = "/v2/data-import/accounts/";

    fn processes(house: &House) -> usize {
        let list = |tx: &mut dyn cutover_app::port::Tx| tx.list_processes(1, None, None, 100);
        read(&*house.store as &dyn Store, list).unwrap().len()
    }

    #[actix_web::test]
    async fn what_was_created_is_stored_and_may_be_sent_again() {
        let house = House::new();
        assert_eq!(house.post(PATH, ACCOUNT).await.line(), "201 {}");
        assert_eq!(house.post(PATH, ACCOUNT).await.line(), "201 {}");
        assert_eq!(processes(&house), 1);
    }

    #[actix_web::test]
    async fn each_refusal_has_its_body() {
        let house = House::new();
        let mut lines = Vec::new();
        let faulty = ACCOUNT.replace("\"external_account_number\"", "\"number\"");
        lines.push(house.post(PATH, faulty).await.line());
        lines.push(house.post(PATH, "{").await.line());
        set_status(&house, SupplierStatus::Paused);
        lines.push(house.post(PATH, ACCOUNT).await.line());
        set_status(&house, SupplierStatus::Ongoing);
        assert_eq!(processes(&house), 0);
        house.post(PATH, ACCOUNT).await;
        house.import_pending();
        house.clock.advance(Duration::seconds(1));
        lines.push(house.post(PATH, ACCOUNT).await.line());
        insta::assert_snapshot!(lines.join("\n"));
    }

    #[actix_web::test]
    async fn documents_are_looked_up_for_who_verifies_them() {
        let house = House::new();
        house.verify_documents();
        let refused = house.post(PATH, ELECTRICITY).await;
        assert_eq!((refused.status, house.documents.look_ups(), processes(&house)), (400, 1, 0));
        assert_eq!(refused.json()["code"], "import_process_failed_validation");
        house.documents.set_down(true);
        assert_eq!(house.post(PATH, ELECTRICITY).await.status, 503);
        house.documents.set_down(false);
        for path in documents(&serde_json::from_str(ELECTRICITY).unwrap()) {
            house.documents.set("/ACME_ENERGY", path.trim_start_matches('/'), DocumentState::Pdf);
        }
        assert_eq!(house.post(PATH, ELECTRICITY).await.line(), "201 {}");
        assert_eq!(processes(&house), 1);
    }

    /// Every document that a payload names.
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

    fn set_status(house: &House, status: SupplierStatus) {
        let change = SupplierChange { status: Some(status), ..SupplierChange::default() };
        house.set_supplier(change);
    }
}
