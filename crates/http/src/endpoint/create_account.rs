use crate::answer::empty_object;
use crate::call::{Answer, Call};
use actix_web::http::StatusCode;

/// `POST /v2/data-import/accounts/`: 201 `{}` once the payload is durably stored (contract 4.1, decisions D5).
pub(crate) fn handle(call: &mut Call) -> Answer<'_> {
    Box::pin(async move {
        let caller = call.caller().await?;
        let mut body = call.body().await?;
        let id = call.request_id();
        call.run(move |app| Ok(app.create_account(&caller, id, body.unpack()?)?)).await?;
        Ok(empty_object(StatusCode::CREATED))
    })
}

#[cfg(test)]
mod tests {
    use crate::testing::{ACCOUNT, House};
    use cutover_app::operator::SupplierChange;
    use cutover_app::port::{Store, read};
    use cutover_app::worker::Worker;
    use cutover_core::SupplierStatus;
    use std::sync::Arc;

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
        let worker = Worker::new(house.app.clone(), "w1".into(), Arc::default(), Arc::default());
        worker.turn().unwrap();
        lines.push(house.post(PATH, ACCOUNT).await.line());
        insta::assert_snapshot!(lines.join("\n"));
    }

    fn set_status(house: &House, status: SupplierStatus) {
        let change = SupplierChange { status: Some(status), ..SupplierChange::default() };
        house.app.set_supplier("ACME_ENERGY", change).unwrap();
    }
}
