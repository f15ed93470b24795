use super::{Endpoint, Kind};
use crate::call::{Answer, Call};
use crate::openapi::{Access, Content, Operation, Response, Served, code_page, json_content, own, rule_page};
use crate::refusal::Refusal;
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
        answers: PAGE_ANSWERS,
        ..Operation::BASE
    }),
};

fn read(call: &mut Call) -> Answer<'_> {
    Box::pin(async { Ok(html(call.headers(), call.service().description.page())) })
}

/// `GET /docs/errors/<code>/`: the explanation of an error code, as an HTML page without a token.
pub(crate) const CODE: Endpoint = Endpoint {
    method: Method::GET,
    template: "/docs/errors/<code>/",
    kind: Kind::Description,
    handler: explain_code,
    operation: Some(Operation {
        id: "explainCode",
        summary: "Explains an error code as an HTML page",
        ..EXPLANATION
    }),
};

/// `GET /docs/rules/<id>/`: the explanation of a rule, as an HTML page without a token.
pub(crate) const RULE: Endpoint = Endpoint {
    method: Method::GET,
    template: "/docs/rules/<rule>/",
    kind: Kind::Description,
    handler: explain_rule,
    operation: Some(Operation {
        id: "explainRule",
        summary: "Explains a rule as an HTML page",
        ..EXPLANATION
    }),
};

const PAGE_ANSWERS: &[Response] = &[
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
];

const EXPLANATION: Operation = Operation {
    access: Access::All,
    answers: PAGE_ANSWERS,
    refusals: || vec![Refusal::NotFound],
    ..Operation::BASE
};

fn explain_code(call: &mut Call) -> Answer<'_> {
    let served = code_page(&call.parameter(0));
    Box::pin(async { page(call.headers(), served) })
}

fn explain_rule(call: &mut Call) -> Answer<'_> {
    let served = rule_page(&call.parameter(0));
    Box::pin(async { page(call.headers(), served) })
}

fn page(headers: &HeaderMap, served: Option<Served>) -> Result<HttpResponse, Refusal> {
    served.map(|served| html(headers, &served)).ok_or(Refusal::NotFound)
}

/// Answers with a page, or with 304 if the client has it.
fn html(headers: &HeaderMap, served: &Served) -> HttpResponse {
    let mut response = answer(headers, served, "text/html; charset=utf-8");
    response.headers_mut().insert(CONTENT_SECURITY_POLICY, HeaderValue::from_static(POLICY));
    response
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
    async fn codes_and_rules_have_pages_that_link_each_other() {
        let service = TestService::new();
        let get = async |path: &str| service.send(TestRequest::get().uri(path)).await;
        let code = get("/docs/errors/invalid_phone_number/").await;
        assert_eq!((code.status, code.header("content-type")), (200, "text/html; charset=utf-8"));
        assert!(code.header("content-security-policy").starts_with("default-src 'none'"));
        for part in
            ["<h1>", "This is not a phone number.", "What to do", "n/a", "href=\"/docs/rules/CUS-01/\""]
        {
            assert!(code.text().contains(part), "{part}: {}", code.text());
        }
        let rule = get("/docs/rules/CUS-01/").await;
        for part in ["<h1>CUS-01", "<code>mobile</code>", "href=\"/docs/errors/invalid_phone_number/\""] {
            assert!(rule.text().contains(part), "{part}: {}", rule.text());
        }
        for code in cutover_core::Code::ALL {
            assert_eq!(get(&format!("/docs/errors/{code}/")).await.status, 200, "{code}");
        }
        for path in ["/docs/errors/nothing/", "/docs/rules/XXX-01/", "/docs/rules/cus-01/", "/docs/errors/"] {
            let answer = get(path).await;
            assert_eq!((answer.status, &answer.json()["code"]), (404, &"not_found".into()), "{path}");
        }
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
