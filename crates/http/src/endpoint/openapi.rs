use super::{Endpoint, Kind};
use crate::call::{Answer, Call};
use crate::openapi::Served;
use crate::openapi::{Access, Content, Operation, Response, json_content, own};
use actix_web::HttpResponse;
use actix_web::http::Method;
use actix_web::http::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, ETAG, HeaderMap, HeaderValue, IF_NONE_MATCH,
};

/// The page has an inline style and loads nothing.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; frame-ancestors 'none'";

const NOT_MODIFIED: Response = Response {
    status: 304,
    means: "The text still has a tag named by `If-None-Match`.",
    headers: &["ETag"],
    content: None,
};

/// `GET /openapi.json`: the description of the API, without a token.
pub(crate) const DESCRIPTION: Endpoint = Endpoint {
    method: Method::GET,
    template: "/openapi.json",
    kind: Kind::Description,
    handler: handle,
    operation: Some(Operation {
        id: "getDescription",
        summary: "Returns this description",
        access: Access::All,
        answers: &[
            Response {
                status: 200,
                means: "The description.",
                headers: &["ETag"],
                content: json_content(own::description, &[("usual", own::description_example)]),
            },
            NOT_MODIFIED,
        ],
        ..Operation::BASE
    }),
};

fn handle(call: &mut Call) -> Answer<'_> {
    Box::pin(async { Ok(answer(call.headers(), call.service().description.json(), "application/json")) })
}

/// `GET /docs/`: the same as an HTML page.
pub(crate) const PAGE: Endpoint = Endpoint {
    method: Method::GET,
    template: "/docs/",
    kind: Kind::Description,
    handler: read,
    operation: Some(Operation {
        id: "readDescription",
        summary: "Returns this description as an HTML page",
        access: Access::All,
        answers: &[
            Response {
                status: 200,
                means: "The page.",
                headers: &["ETag"],
                content: Some(Content {
                    media: "text/html",
                    schema: own::page,
                    examples: &[("usual", own::page_example)],
                }),
            },
            NOT_MODIFIED,
        ],
        ..Operation::BASE
    }),
};

fn read(call: &mut Call) -> Answer<'_> {
    Box::pin(async {
        let mut response =
            answer(call.headers(), call.service().description.page(), "text/html; charset=utf-8");
        response.headers_mut().insert(CONTENT_SECURITY_POLICY, HeaderValue::from_static(POLICY));
        Ok(response)
    })
}

/// Answers with the text, or with 304 if the client has it.
fn answer(headers: &HeaderMap, served: &Served, media: &'static str) -> HttpResponse {
    let given = headers.get_all(IF_NONE_MATCH).filter_map(|value| value.to_str().ok());
    let is_known = given.flat_map(|tags| tags.split(',')).any(|tag| names(tag.trim(), &served.tag));
    let mut response = if is_known { HttpResponse::NotModified() } else { HttpResponse::Ok() };
    response.insert_header((ETAG, served.tag.as_str())).insert_header((CACHE_CONTROL, "no-cache"));
    match is_known {
        true => response.finish(),
        false => response.insert_header((CONTENT_TYPE, media)).body(served.body.clone()),
    }
}

/// Returns true if an entity tag of a condition matches this one; weak comparison.
fn names(given: &str, tag: &str) -> bool {
    let opaque = |tag: &str| tag.strip_prefix("W/").unwrap_or(tag).to_owned();
    given == "*" || opaque(given) == opaque(tag)
}

#[cfg(test)]
mod tests {
    use crate::testing::TestService;
    use actix_web::http::header::IF_NONE_MATCH;
    use actix_web::test::TestRequest;

    #[actix_web::test]
    async fn the_description_is_public_and_cacheable() {
        let service = TestService::new();
        let get = || TestRequest::get().uri("/openapi.json");
        let whole = service.send(get()).await;
        assert_eq!((whole.status, whole.header("content-type")), (200, "application/json"));
        assert_eq!(whole.json()["openapi"], "3.1.0");
        let tag = whole.header("etag");
        for condition in [tag, &format!("\"x\", {tag}"), tag.trim_start_matches("W/"), "*"] {
            let again = service.send(get().insert_header((IF_NONE_MATCH, condition))).await;
            assert_eq!((again.status, again.text(), again.header("etag")), (304, "", tag), "{condition}");
        }
        let other = service.send(get().insert_header((IF_NONE_MATCH, "\"x\""))).await;
        assert_eq!(other.text(), whole.text());
    }

    #[actix_web::test]
    async fn the_html_page_loads_nothing() {
        let service = TestService::new();
        for path in ["/docs/", "/docs"] {
            let page = service.send(TestRequest::get().uri(path)).await;
            assert_eq!((page.status, page.header("content-type")), (200, "text/html; charset=utf-8"));
            assert!(page.header("content-security-policy").starts_with("default-src 'none'"));
            assert!(page.text().starts_with("<!doctype html>"));
            let again = service
                .send(TestRequest::get().uri(path).insert_header((IF_NONE_MATCH, page.header("etag"))));
            assert_eq!(again.await.status, 304);
        }
    }
}
