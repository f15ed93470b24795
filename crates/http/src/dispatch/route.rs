use crate::console;
use crate::endpoint::{
    Endpoint, Kind, account_issues, account_lists, account_status, account_totals, bulk, businesses,
    cancel_account, certificates, create_account, create_business, create_business_payment_instruction,
    create_historical_statements, create_notes, create_payment_instruction, create_transactions, events,
    find_accounts, find_for_operator, graphql, healthz, imported_account, imported_accounts, manifest,
    manifest_numbers, metrics, openapi, progress, readiness, readyz, refused_creates, report_billed, runs,
    supplier, supplier_holds, transfer_status, upload_document, validate_account, validate_account_v1,
};
use crate::openapi::Described;
use crate::refusal::Refusal;
use crate::request::path::{decode, segments};
use actix_web::http::Method;

/// The endpoints of the API, in the order of its description. If two paths match a request, the first one
/// wins.
static API: &[Endpoint] = &[
    validate_account::ENDPOINT,
    validate_account_v1::ENDPOINT,
    create_account::ENDPOINT,
    bulk::ENDPOINT,
    account_status::ENDPOINT,
    cancel_account::ENDPOINT,
    account_issues::ENDPOINT,
    find_accounts::ENDPOINT,
    supplier::ENDPOINT,
    progress::ENDPOINT,
    manifest::GET,
    manifest::PUT,
    manifest_numbers::PUT,
    manifest_numbers::MISSING,
    manifest_numbers::UNEXPECTED,
    upload_document::ENDPOINT,
    certificates::POST,
    certificates::LATEST,
    certificates::GET,
    certificates::LEAVES,
    certificates::PROOF,
    certificates::KEYS,
    readiness::ENDPOINT,
    supplier_holds::HOLD,
    supplier_holds::RELEASE,
    account_totals::ENDPOINT,
    refused_creates::ENDPOINT,
    runs::LIST,
    runs::START,
    runs::GET,
    runs::END,
    runs::DIFF,
    create_notes::ENDPOINT,
    create_transactions::ENDPOINT,
    create_historical_statements::ENDPOINT,
    create_payment_instruction::ENDPOINT,
    transfer_status::ENDPOINT,
    account_lists::ALL,
    account_lists::PENDING,
    account_lists::IMPORTED,
    create_business::ENDPOINT,
    businesses::LIST,
    businesses::GET,
    businesses::PUT,
    create_business_payment_instruction::ENDPOINT,
    events::ENDPOINT,
    imported_account::ENDPOINT,
    imported_accounts::ENDPOINT,
    report_billed::ENDPOINT,
    find_for_operator::ENDPOINT,
    graphql::POST,
    graphql::GET,
    healthz::ENDPOINT,
    readyz::ENDPOINT,
    metrics::ENDPOINT,
    openapi::DESCRIPTION,
    openapi::PAGE,
    openapi::CODE,
    openapi::RULE,
];

/// Returns all endpoints.
pub(crate) fn endpoints() -> impl Iterator<Item = &'static Endpoint> {
    API.iter().chain(console::ENDPOINTS)
}

/// Returns the endpoints with a description.
pub(crate) fn described() -> Vec<Described> {
    let described = |endpoint: &'static Endpoint| {
        Some((endpoint.template, &endpoint.method, endpoint.operation.as_ref()?))
    };
    API.iter().filter_map(described).collect()
}

/// The endpoint that matches a request.
pub(crate) struct Match {
    /// The template of the path, or `none`.
    pub(crate) template: &'static str,
    /// True for endpoints that machines poll.
    pub(crate) is_probe: bool,
    /// The endpoint and the decoded parameters of the path; or 404, or 405.
    pub(crate) endpoint: Result<(&'static Endpoint, Vec<String>), Refusal>,
}

/// Finds the endpoint of a raw path and a method among the kinds that are served.
pub(crate) fn find(path: &str, method: &Method, serves: impl Fn(Kind) -> bool) -> Match {
    let served = || endpoints().filter(|endpoint| serves(endpoint.kind));
    let Some((first, parameters)) =
        served().find_map(|endpoint| Some((endpoint, parameters(endpoint.template, path)?)))
    else {
        return Match { template: "none", is_probe: false, endpoint: Err(Refusal::NotFound) };
    };
    let method = if method == Method::HEAD { &Method::GET } else { method };
    let methods = || served().filter(|endpoint| endpoint.template == first.template);
    let endpoint = methods().find(|endpoint| endpoint.method == method);
    Match {
        template: first.template,
        is_probe: matches!(first.kind, Kind::Health | Kind::Metrics),
        endpoint: match endpoint {
            Some(endpoint) => Ok((endpoint, parameters)),
            None => Err(Refusal::MethodNotAllowed(allowed(methods()))),
        },
    }
}

/// Returns the value of `Allow`, without methods that exist only to be refused.
fn allowed(endpoints: impl Iterator<Item = &'static Endpoint>) -> String {
    let takes = |endpoint: &&Endpoint| endpoint.operation.is_some() || endpoint.kind == Kind::Console;
    let methods = endpoints.filter(takes).map(|endpoint| match endpoint.method {
        Method::GET => "GET, HEAD",
        _ => endpoint.method.as_str(),
    });
    methods.collect::<Vec<_>>().join(", ")
}

/// The parameter of a template that matches all segments that are left, which are joined with slashes.
const REST: &str = "<path>";

/// The decoded parameters of a path that matches a template.
fn parameters(template: &str, path: &str) -> Option<Vec<String>> {
    let mut parameters = Vec::new();
    let mut given = segments(path);
    for expected in segments(template) {
        let mut segment = decode(given.next()?)?;
        if expected == REST {
            for next in given.by_ref() {
                segment.to_mut().extend(["/", &decode(next)?]);
            }
        }
        if expected.starts_with('<') {
            // No supplier or account has an empty name.
            if segment.is_empty() {
                return None;
            }
            parameters.push(segment.into_owned());
        } else if segment != expected {
            return None;
        }
    }
    given.next().is_none().then_some(parameters)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::openapi::Body;
    use crate::testing::TestService;
    use actix_web::http::header::CONTENT_TYPE;
    use actix_web::test::TestRequest;

    fn found(method: Method, path: &str) -> String {
        let found = find(path, &method, |_| true);
        match found.endpoint {
            Ok((_, parameters)) => format!("{} {parameters:?}", found.template),
            Err(refusal) => format!("{} {refusal:?}", found.template),
        }
    }

    #[test]
    fn the_trailing_slash_is_optional() {
        let accounts = "/v2/data-import/accounts/";
        for path in ["/v2/data-import/accounts/", "/v2/data-import/accounts", "/v2/data%2Dimport/accounts"] {
            assert_eq!(found(Method::POST, path), format!("{accounts} []"));
        }
        for path in ["/healthz", "/healthz/"] {
            assert_eq!(found(Method::HEAD, path), "/healthz []");
        }
        for path in ["/healthz//", "//healthz", "/", "", "*", "/v2", "/v2/data-import/accounts//"] {
            assert_eq!(found(Method::GET, path), "none NotFound", "{path}");
        }
    }

    #[test]
    fn parameters_are_decoded_once() {
        let status = "/v2/data-import/accounts/<supplier>/<number>/";
        for (path, parameters) in [
            ("/v2/data-import/accounts/ACME/A-1/", r#"["ACME", "A-1"]"#),
            ("/v2/data-import/accounts/ACME/A%2F1", r#"["ACME", "A/1"]"#),
            ("/v2/data-import/accounts/ACME/A%252F1", r#"["ACME", "A%2F1"]"#),
            ("/v2/data-import/accounts/%20ACME/%20A%20/", r#"[" ACME", " A "]"#),
            ("/v2/data-import/accounts/../A/", r#"["..", "A"]"#),
        ] {
            assert_eq!(found(Method::GET, path), format!("{status} {parameters}"));
        }
        for path in ["ACME/%ff/", "%C3/A/", "ACME/A/B/", "ACME/A//", "/A/", "ACME//"] {
            let path = format!("/v2/data-import/accounts/{path}");
            assert_eq!(found(Method::GET, &path), "none NotFound", "{path}");
        }
    }

    #[test]
    fn a_document_has_all_segments_that_are_left() {
        let documents = "/v2/data-import/import-suppliers/ACME/documents";
        for (path, document) in [
            ("/a.pdf", "a.pdf"),
            ("/a/b%20c/d.pdf/", "a/b c/d.pdf"),
            ("/a%2Fb.pdf", "a/b.pdf"),
            ("//a", "/a"),
            ("/a//b", "a//b"),
            ("/../a", "../a"),
        ] {
            let parameters = find(&format!("{documents}{path}"), &Method::PUT, |_| true).endpoint.unwrap().1;
            assert_eq!(parameters, ["ACME", document], "{path}");
        }
        for path in ["", "/", "//", "/%ff"] {
            assert_eq!(found(Method::PUT, &format!("{documents}{path}")), "none NotFound", "{path}");
        }
    }

    #[actix_web::test]
    async fn every_route_of_the_api_asks_for_a_token() {
        let service = TestService::new();
        for Endpoint { template, method, operation, .. } in
            endpoints().filter(|endpoint| endpoint.template.contains("/data-import/"))
        {
            let path = template.replace("<supplier>", "ACME_ENERGY").replace("<number>", "A");
            let path = path.replace("<business>", "B").replace("<certificate>", "0");
            let path = path.replace("<run>", "one").replace("<other_run>", "two").replace("<path>", "a.pdf");
            let allowed = allowed(endpoints().filter(|endpoint| endpoint.template == *template));
            for path in [path.as_str(), path.trim_end_matches('/')] {
                let request = TestRequest::default().method(method.clone()).uri(path);
                let reply = service.send(request.insert_header((CONTENT_TYPE, "text/plain"))).await;
                assert_eq!((reply.status, reply.header("www-authenticate")), (401, "Token"), "{path}");
                assert_eq!(reply.json()["code"], "not_authenticated");
                let wrong = service.send(TestRequest::delete().uri(path)).await;
                assert_eq!((wrong.status, wrong.header("allow")), (405, allowed.as_str()), "{path}");
                let text = TestRequest::default().method(method.clone()).uri(path);
                let text = text.insert_header((CONTENT_TYPE, "text/plain"));
                let reads_body =
                    operation.as_ref().is_some_and(|operation| !matches!(operation.body, Body::Nothing));
                if reads_body {
                    assert_eq!(service.send_as_acme(text.set_payload("{}")).await.status, 415, "{path}");
                }
            }
        }
    }

    #[test]
    fn reserved_words_are_routes_before_they_are_suppliers() {
        let validate = "/v2/data-import/accounts/validate/";
        assert_eq!(found(Method::POST, validate), format!("{validate} []"));
        assert_eq!(found(Method::GET, validate), format!("{validate} MethodNotAllowed(\"POST\")"));
    }

    #[test]
    fn other_methods_are_answered_with_allow() {
        let refused = |method, path| found(method, path).split_once(' ').unwrap().1.to_owned();
        assert_eq!(refused(Method::DELETE, "/v1/graphql/"), "MethodNotAllowed(\"POST\")");
        assert_eq!(refused(Method::POST, "/metrics"), "MethodNotAllowed(\"GET, HEAD\")");
        assert_eq!(
            refused(Method::OPTIONS, "/v2/data-import/accounts/A/B"),
            "MethodNotAllowed(\"GET, HEAD\")"
        );
        assert_eq!(refused(Method::HEAD, "/v2/data-import/accounts"), "MethodNotAllowed(\"POST\")");
    }

    #[test]
    fn endpoints_of_other_listeners_are_not_found() {
        let found = find("/metrics", &Method::POST, |kind| kind == Kind::Health);
        assert!(matches!(found.endpoint, Err(Refusal::NotFound)));
    }
}
