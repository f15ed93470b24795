//! The check of the certificate with which suppliers reach the API.

use super::Finding;
use super::facts::Installation;
use crate::port::ServerCertificateState;

pub(super) fn tls(installation: &Installation) -> Finding {
    let renew = "Renew it and replace both files: running servers read them again.";
    match &installation.server_certificate {
        None => Finding::ok("The settings name no certificate: something else serves TLS, or nothing does."),
        Some(ServerCertificateState::Valid(text)) => Finding::ok(sentence(text)),
        Some(ServerCertificateState::ExpiresSoon(text)) => Finding::warn(sentence(text), renew),
        Some(ServerCertificateState::Unusable(text)) => Finding::stop(
            sentence(text),
            "Suppliers cannot connect. Renew it and replace both files; the operator finds the cause with `cutover doctor`.",
        ),
    }
}

fn sentence(text: &str) -> String {
    format!("The API: {text}.")
}
