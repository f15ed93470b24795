use chrono::{DateTime, NaiveDateTime, TimeDelta, Utc};
use ring::error::Unspecified;
use ring::io::der::{Tag, expect_tag_and_get_value, read_tag_and_get_value};
use rustls::pki_types::CertificateDer;
use untrusted::{Input, Reader};

/// The remaining time from which on a certificate is said to expire soon. Automatic renewal of 90-day certificates
/// comes 30 days before their end, so it has failed by then.
const SOON: TimeDelta = TimeDelta::days(21);

/// The time in which every certificate of a chain is valid.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Validity {
    not_before: DateTime<Utc>,
    not_after: DateTime<Utc>,
    /// The position of the certificate that expires first; 1 is the server's own.
    first_to_expire: usize,
}

/// Validity of a chain at a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ValidityState {
    Valid,
    ExpiresSoon,
    Expired,
    NotYetValid,
}

impl Validity {
    /// Reads the validity of a chain.
    ///
    /// # Errors
    /// The text names the certificate that cannot be read.
    pub(super) fn of(chain: &[CertificateDer<'_>]) -> Result<Self, String> {
        let (not_before, not_after) = (DateTime::<Utc>::MIN_UTC, DateTime::<Utc>::MAX_UTC);
        let mut validity = Self { not_before, not_after, first_to_expire: 1 };
        for (position, certificate) in (1..).zip(chain) {
            let (not_before, not_after) =
                read(certificate).map_err(|_| format!("certificate {position} in it cannot be read"))?;
            validity.not_before = validity.not_before.max(not_before);
            if not_after < validity.not_after {
                (validity.not_after, validity.first_to_expire) = (not_after, position);
            }
        }
        Ok(validity)
    }

    pub(crate) fn not_after(&self) -> DateTime<Utc> {
        self.not_after
    }

    pub(crate) fn state(&self, now: DateTime<Utc>) -> ValidityState {
        if now > self.not_after {
            ValidityState::Expired
        } else if now < self.not_before {
            ValidityState::NotYetValid
        } else if self.not_after - now <= SOON {
            ValidityState::ExpiresSoon
        } else {
            ValidityState::Valid
        }
    }

    /// Returns a sentence about the server's certificate: the day of the expiry, and how far away it is.
    pub(crate) fn describe(&self, now: DateTime<Utc>) -> String {
        let day = self.not_after.date_naive();
        let subject = match self.first_to_expire {
            1 => "it".to_owned(),
            position => format!("certificate {position} of its chain"),
        };
        match self.state(now) {
            ValidityState::Expired => {
                format!("{subject} expired on {day}, {} ago", days(now - self.not_after))
            }
            ValidityState::NotYetValid => {
                format!("it is not valid before {}", self.not_before.format("%FT%TZ"))
            }
            ValidityState::ExpiresSoon | ValidityState::Valid => {
                format!("{subject} expires on {day}, in {}", days(self.not_after - now))
            }
        }
    }
}

/// Reads the times of `Certificate ::= SEQUENCE { tbsCertificate, … }`, where `tbsCertificate` is a
/// `SEQUENCE { [0] version, serialNumber, signature, issuer, validity, … }` (RFC 5280). rustls does not tell them.
fn read(certificate: &[u8]) -> Result<(DateTime<Utc>, DateTime<Utc>), Unspecified> {
    first_sequence(first_sequence(Input::from(certificate))?)?.read_all(Unspecified, |fields| {
        if fields.peek(Tag::ContextSpecificConstructed0.into()) {
            read_tag_and_get_value(fields)?;
        }
        for tag in [Tag::Integer, Tag::Sequence, Tag::Sequence] {
            expect_tag_and_get_value(fields, tag)?;
        }
        let validity = expect_tag_and_get_value(fields, Tag::Sequence)?;
        fields.skip_to_end();
        validity.read_all(Unspecified, |times| Ok((time(times)?, time(times)?)))
    })
}

/// Returns the content of the sequence at the beginning of the input.
fn first_sequence(input: Input<'_>) -> Result<Input<'_>, Unspecified> {
    input.read_all(Unspecified, |reader| {
        let content = expect_tag_and_get_value(reader, Tag::Sequence)?;
        reader.skip_to_end();
        Ok(content)
    })
}

/// Reads a time in UTC: with two digits of the year until 2049, with four from 2050 on.
fn time(reader: &mut Reader<'_>) -> Result<DateTime<Utc>, Unspecified> {
    const UTC_TIME: u8 = Tag::UTCTime.into();
    const GENERALIZED_TIME: u8 = Tag::GeneralizedTime.into();
    let (tag, text) = read_tag_and_get_value(reader)?;
    let format = match tag {
        UTC_TIME => "%y%m%d%H%M%SZ",
        GENERALIZED_TIME => "%Y%m%d%H%M%SZ",
        _ => return Err(Unspecified),
    };
    let text = std::str::from_utf8(text.as_slice_less_safe()).map_err(|_| Unspecified)?;
    NaiveDateTime::parse_from_str(text, format).map(|time| time.and_utc()).map_err(|_| Unspecified)
}

fn days(time: TimeDelta) -> String {
    match time.num_days() {
        0 => "less than a day".to_owned(),
        1 => "1 day".to_owned(),
        days => format!("{days} days"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tls::tests::pem;
    use rustls::pki_types::pem::PemObject;

    const ISSUED: &str = "2026-10-01T12:00:00Z";

    fn at(time: &str) -> DateTime<Utc> {
        time.parse().unwrap()
    }

    /// The validity of a chain of certificates that expire at these times.
    fn expiring(times: &[&str]) -> Validity {
        let validities: Vec<_> = times.iter().map(|time| (at(ISSUED), at(time))).collect();
        let (chain, _) = pem(&validities);
        let chain: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(chain.as_bytes()).collect();
        Validity::of(&chain.unwrap()).unwrap()
    }

    #[test]
    fn a_certificate_is_judged_by_its_remaining_days() {
        let validity = expiring(&["2026-12-30T12:00:00Z"]);
        assert_eq!(validity.not_after(), at("2026-12-30T12:00:00Z"));
        for (now, state, text) in [
            (
                "2026-10-01T11:59:59Z",
                ValidityState::NotYetValid,
                "it is not valid before 2026-10-01T12:00:00Z",
            ),
            (ISSUED, ValidityState::Valid, "it expires on 2026-12-30, in 90 days"),
            ("2026-12-09T11:59:59Z", ValidityState::Valid, "it expires on 2026-12-30, in 21 days"),
            ("2026-12-09T12:00:00Z", ValidityState::ExpiresSoon, "it expires on 2026-12-30, in 21 days"),
            ("2026-12-29T06:00:00Z", ValidityState::ExpiresSoon, "it expires on 2026-12-30, in 1 day"),
            (
                "2026-12-30T12:00:00Z",
                ValidityState::ExpiresSoon,
                "it expires on 2026-12-30, in less than a day",
            ),
            ("2026-12-30T12:00:01Z", ValidityState::Expired, "it expired on 2026-12-30, less than a day ago"),
            ("2027-01-29T13:00:00Z", ValidityState::Expired, "it expired on 2026-12-30, 30 days ago"),
        ] {
            assert_eq!((validity.state(at(now)), &*validity.describe(at(now))), (state, text), "{now}");
        }
    }

    #[test]
    fn the_first_certificate_of_the_chain_to_expire_counts() {
        let validity = expiring(&["2026-12-30T12:00:00Z", "2026-12-05T12:00:00Z", "2036-01-01T12:00:00Z"]);
        assert_eq!(validity.state(at("2026-12-01T12:00:00Z")), ValidityState::ExpiresSoon);
        let text = validity.describe(at("2026-12-01T12:00:00Z"));
        assert_eq!(text, "certificate 2 of its chain expires on 2026-12-05, in 4 days");
    }

    #[test]
    fn times_are_read_in_both_forms() {
        for time in ["2049-12-31T23:59:59Z", "2050-01-01T00:00:00Z", "9999-12-31T23:59:59Z"] {
            assert_eq!(expiring(&[time]).not_after(), at(time));
        }
    }

    #[test]
    fn a_certificate_that_cannot_be_read_is_named() {
        let (pem, _) = pem(&[(at(ISSUED), at("2050-01-01T00:00:00Z"))]);
        let whole = CertificateDer::from_pem_slice(pem.as_bytes()).unwrap();
        for end in 0..whole.len() {
            let cut = CertificateDer::from(&whole[..end]);
            let error = Validity::of(&[whole.clone(), cut]).unwrap_err();
            assert_eq!(error, "certificate 2 in it cannot be read");
        }
    }
}
