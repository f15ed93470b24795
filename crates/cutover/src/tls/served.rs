//! The certificate of the settings, as readiness asks for it.

use super::certificate::Certificate;
use super::validity::{Validity, ValidityState};
use crate::settings::TlsFiles;
use chrono::{DateTime, Utc};
use cutover_app::port::{ServerCertificate, ServerCertificateState};

impl TlsFiles {
    /// Returns what is said about the certificate of these files.
    pub(crate) fn describe(&self, validity: &Validity, now: DateTime<Utc>) -> String {
        format!("the certificate {} and its key: {}", self.cert.display(), validity.describe(now))
    }
}

impl ServerCertificate for TlsFiles {
    fn judge(&self, now: DateTime<Utc>) -> ServerCertificateState {
        let validity = match Certificate::read(self) {
            Ok(certificate) => certificate.validity,
            Err(error) => return ServerCertificateState::Unusable(error.to_string()),
        };
        let text = self.describe(&validity, now);
        match validity.state(now) {
            ValidityState::Valid => ServerCertificateState::Valid(text),
            ValidityState::ExpiresSoon => ServerCertificateState::ExpiresSoon(text),
            ValidityState::Expired | ValidityState::NotYetValid => ServerCertificateState::Unusable(text),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tls::CertificateFiles;
    use chrono::TimeDelta;

    #[test]
    fn readiness_judges_it_as_doctor_does() {
        let home = CertificateFiles::new();
        let now: DateTime<Utc> = "2026-11-26T12:00:00Z".parse().unwrap();
        let state = |begin: i64, end: i64| {
            home.write(&[(now + TimeDelta::days(begin), now + TimeDelta::days(end))]);
            home.files.judge(now)
        };
        assert!(matches!(state(-60, 22), ServerCertificateState::Valid(text) if text.contains("in 22 days")));
        assert!(matches!(state(-60, 21), ServerCertificateState::ExpiresSoon(_)));
        assert!(
            matches!(state(-60, -1), ServerCertificateState::Unusable(text) if text.contains("expired on"))
        );
        assert!(matches!(state(1, 90), ServerCertificateState::Unusable(_)));
        std::fs::remove_file(&home.files.key).unwrap();
        assert!(
            matches!(home.files.judge(now), ServerCertificateState::Unusable(text) if text.contains("tls-key"))
        );
    }
}
