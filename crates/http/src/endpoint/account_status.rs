use crate::answer::json;
use crate::call::{Answer, Call};
use crate::refusal::Refusal;
use actix_web::HttpResponse;
use cutover_app::account::shown_status;

/// `GET /v2/data-import/accounts/<supplier>/<number>/`: the version 2 status (contract 2.2, 4.1).
pub(crate) fn handle(call: &mut Call) -> Answer<'_> {
    Box::pin(async move {
        let caller = call.caller().await?;
        let (supplier, number) = (call.parameter(0), call.parameter(1));
        let status = call.run(move |app| Ok(app.account_status(&caller, &supplier, &number)?)).await?;
        let status = status.ok_or(Refusal::NotFound)?;
        Ok(json(&mut HttpResponse::Ok(), &shown_status(&status)))
    })
}
