use crate::answer::json;
use crate::call::{Answer, Call};
use actix_web::HttpResponse;
use serde_json::json;

/// `GET /healthz`: the process serves (contract D11). Asks nothing of the database.
pub(crate) fn handle(_: &mut Call) -> Answer<'_> {
    Box::pin(async { Ok(json(&mut HttpResponse::Ok(), &json!({"status": "ok"}))) })
}

#[cfg(test)]
mod tests {
    use crate::testing::House;
    use actix_web::test::TestRequest;
    use cutover_testkit::memory::Fault;

    #[actix_web::test]
    async fn it_is_well_even_where_the_store_is_not() {
        let house = House::new();
        house.store.set_fault(Some(Fault::Panic));
        let reply = house.send(TestRequest::get().uri("/healthz")).await;
        assert_eq!(reply.line(), r#"200 {"status":"ok"}"#);
    }
}
