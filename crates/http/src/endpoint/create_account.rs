use crate::answer::empty_object;
use crate::call::{Answer, Call};
use actix_web::http::StatusCode;

/// `POST /v2/data-import/accounts/`: 201 `{}` once the payload is durably stored (contract 4.1, decisions D5).
pub(crate) fn handle(call: &mut Call) -> Answer<'_> {
    Box::pin(async move {
        let caller = call.caller().await?;
        let mut body = call.body().await?;
        call.run(move |app| Ok(app.create_account(&caller, body.unpack()?)?)).await?;
        Ok(empty_object(StatusCode::CREATED))
    })
}
