use super::links;
use super::page::{Frame, page, see_other};
use super::visit::{anybody, forget, keep, visited};
use crate::call::{Answer, Call};
use crate::request::query::Query;
use actix_web::HttpResponse;
use askama::Template;
use cutover_app::auth::{AttemptKind, judged};

#[derive(Template)]
#[template(path = "console/sign_in.html")]
struct SignIn<'a> {
    frame: Frame,
    next: &'a str,
    is_refused: bool,
}

/// `GET /console/sign-in/`: shows the form for the key.
pub(crate) fn show(call: &mut Call) -> Answer<'_> {
    Box::pin(async move {
        Ok(anybody(call, async |call| {
            let next = Query::new(call.query()).read("next", |next| Some(next.to_owned()));
            let form =
                SignIn { frame: Frame::outside(), next: links::next(next.as_deref()), is_refused: false };
            Ok(page(&mut HttpResponse::Ok(), &form)?)
        })
        .await)
    })
}

/// `POST /console/sign-in/`: begins a session. Counted by the client's address, like requests for tokens.
pub(crate) fn begin(call: &mut Call) -> Answer<'_> {
    Box::pin(async move {
        Ok(anybody(call, async |call| {
            call.throttle_sign_in(AttemptKind::ConsoleSignIn)?;
            let form = call.form().await?;
            let mut form = Query::new(&form);
            let next = form.read("next", |next| Some(next.to_owned()));
            let key = form.read("api_key", |key| Some(key.trim().to_owned())).unwrap_or_default();
            let signed_in = call.run(move |app| {
                let signed_in = app.sign_in(&key).and_then(|token| {
                    // Reads the key from the new session.
                    let session = app.session(&token)?;
                    Ok((token, session.caller))
                });
                Ok(judged(signed_in)?)
            });
            let (signed_in, next) = (signed_in.await?, links::next(next.as_deref()));
            let prefix = signed_in.as_ref().map(|(_, caller)| &*caller.key_prefix);
            call.attempted(AttemptKind::ConsoleSignIn, prefix);
            let Ok((token, caller)) = signed_in else {
                let form = SignIn { frame: Frame::outside(), next, is_refused: true };
                return Ok(page(&mut HttpResponse::Forbidden(), &form)?);
            };
            call.belongs_to(caller.organisation_id);
            log(call, "sign-in", &caller.key_prefix);
            let mut response = see_other(next);
            keep(call, &mut response, &token);
            Ok(response)
        })
        .await)
    })
}

/// `POST /console/sign-out/`: ends the session, on every node.
pub(crate) fn end(call: &mut Call) -> Answer<'_> {
    Box::pin(async move {
        Ok(visited(call, async |call, visitor| {
            let session = visitor.session.clone();
            call.run(move |app| Ok(app.sign_out(&session)?)).await?;
            log(call, "sign-out", &visitor.caller().key_prefix);
            let mut response = see_other(links::SIGN_IN);
            forget(call, &mut response);
            Ok(response)
        })
        .await)
    })
}

/// Logs a sign-in or sign-out.
fn log(call: &Call, action: &str, key: &str) {
    let request_id = call.request_id().unwrap_or_default();
    tracing::info!(target: "cutover::audit", request_id, key, action, "at the console's door");
}
