use super::links;
use super::page::{Frame, page, see_other};
use super::visit::{anybody, forget, keep, visited};
use crate::call::{Answer, Call};
use crate::query::Query;
use crate::refusal::Refusal;
use actix_web::HttpResponse;
use askama::Template;
use cutover_app::auth::TokenRefused;

#[derive(Template)]
#[template(path = "console/sign_in.html")]
struct SignIn<'a> {
    frame: Frame,
    next: &'a str,
    is_refused: bool,
}

/// `GET /console/sign-in/`: where the key is asked for.
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
            call.service().throttle.sign_in(call.client())?;
            let form = call.form().await?;
            let mut form = Query::new(&form);
            let next = form.read("next", |next| Some(next.to_owned()));
            let key = form.read("api_key", |key| Some(key.trim().to_owned())).unwrap_or_default();
            let signed_in = call.run(move |app| match app.sign_in(&key) {
                Ok(token) => Ok(Some(token)),
                Err(TokenRefused::Invalid) => Ok(None),
                Err(TokenRefused::Store(error)) => Err(Refusal::from(error)),
            });
            let next = links::next(next.as_deref());
            let Some(token) = signed_in.await? else {
                let form = SignIn { frame: Frame::outside(), next, is_refused: true };
                return Ok(page(&mut HttpResponse::Forbidden(), &form)?);
            };
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
            let mut response = see_other(links::SIGN_IN);
            forget(call, &mut response);
            Ok(response)
        })
        .await)
    })
}
