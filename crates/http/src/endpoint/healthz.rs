use crate::answer::json;
use crate::call::{Answer, Call};
use actix_web::HttpResponse;
use serde_json::json;

/// `GET /healthz`: the process serves (decisions D11). Asks nothing of the database.
pub(crate) fn handle(_: &mut Call) -> Answer<'_> {
    Box::pin(async { Ok(json(&mut HttpResponse::Ok(), &json!({"status": "ok"}))) })
}
