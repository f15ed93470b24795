//! TLS of the API: the certificate, the time in which it is valid, and its renewal while the server runs.

mod certificate;
mod renewal;
mod served;
mod validity;

pub(crate) use certificate::Certificate;
pub(crate) use renewal::CertificateRenewal;
#[cfg(test)]
pub(crate) use tests::CertificateFiles;
pub(crate) use validity::ValidityState;

#[cfg(test)]
mod tests;
