use crate::cli::doctor::finding::Finding;
use crate::settings::TlsFiles;
use crate::tls::{Certificate, ValidityState};
use chrono::{DateTime, Utc};

/// Checks that the certificate and its key can be served, and how long the chain is valid.
pub(super) fn certificate(files: &TlsFiles, now: DateTime<Utc>) -> Finding {
    let validity = match Certificate::read(files) {
        Ok(certificate) => certificate.validity,
        Err(error) => return Finding::fail("TLS", error, "name PEM files that belong together"),
    };
    let detail = files.describe(&validity, now);
    let renew = "renew it and replace both files: running servers read them again";
    match validity.state(now) {
        ValidityState::Valid => Finding::ok("TLS", detail),
        ValidityState::ExpiresSoon => Finding::warn("TLS", detail, renew),
        ValidityState::Expired => Finding::fail("TLS", detail, renew),
        ValidityState::NotYetValid => Finding::fail(
            "TLS",
            detail,
            "check the clock of this machine, or use another certificate until then",
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::doctor::finding::Health;
    use crate::tls::CertificateFiles;
    use chrono::TimeDelta;
    use std::fs;

    #[test]
    fn a_certificate_is_judged_by_its_validity() {
        let home = CertificateFiles::new();
        let now: DateTime<Utc> = "2026-11-26T12:00:00Z".parse().unwrap();
        let file = home.files.cert.display().to_string();
        for (begin, end, health, text) in [
            (-60, 22, Health::Ok, "it expires on 2026-12-18, in 22 days"),
            (-60, 21, Health::Warn, "it expires on 2026-12-17, in 21 days"),
            (-60, -30, Health::Fail, "it expired on 2026-10-27, 30 days ago"),
            (1, 90, Health::Fail, "it is not valid before 2026-11-27T12:00:00Z"),
        ] {
            home.write(&[(now + TimeDelta::days(begin), now + TimeDelta::days(end))]);
            let finding = certificate(&home.files, now);
            assert_eq!(finding.detail, format!("the certificate {file} and its key: {text}"));
            assert_eq!(finding.result, health, "{text}");
            assert_eq!(finding.fix.is_some(), health != Health::Ok, "{text}");
        }
    }

    #[test]
    fn a_key_that_does_not_fit_fails() {
        let home = CertificateFiles::new();
        let now = "2026-11-26T12:00:00Z".parse().unwrap();
        let validity = [(now - TimeDelta::days(1), now + TimeDelta::days(90))];
        home.write(&validity);
        let cert = fs::read(&home.files.cert).unwrap();
        home.write(&validity);
        fs::write(&home.files.cert, cert).unwrap();
        let finding = certificate(&home.files, now);
        assert_eq!((finding.result, finding.check), (Health::Fail, "TLS"));
        assert!(finding.detail.starts_with("the setting tls-key cannot be used"), "{}", finding.detail);
    }
}
