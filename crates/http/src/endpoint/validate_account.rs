use crate::answer::empty_object;
use crate::call::{Answer, Call};
use actix_web::http::StatusCode;

/// `POST /v2/data-import/accounts/validate/`: 200 `{}`, or every fault of the payload (contract 4.1, 7.1).
pub(crate) fn handle(call: &mut Call) -> Answer<'_> {
    Box::pin(async move {
        let caller = call.caller().await?;
        let mut body = call.body().await?;
        call.run(move |app| Ok(app.validate_account(&caller, body.unpack()?).map(drop)?)).await?;
        Ok(empty_object(StatusCode::OK))
    })
}
