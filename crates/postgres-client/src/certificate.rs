use ring::digest::{Algorithm, SHA256, SHA384, SHA512, digest};
use ring::error::Unspecified;
use ring::io::der::{Tag, expect_tag_and_get_value};
use untrusted::{Input, Reader};

/// Returns the hash of a server's certificate that binds authentication to the connection
/// (`tls-server-end-point`, RFC 5929): by the algorithm of its signature, with SHA-256 in place of weaker
/// ones. `None` if the algorithm has no hash, as Ed25519.
pub(super) fn end_point(certificate: &[u8]) -> Option<Vec<u8>> {
    let signature = Input::from(certificate).read_all(Unspecified, signature_algorithm).ok()?;
    Some(digest(hash(signature.as_slice_less_safe())?, certificate).as_ref().to_vec())
}

/// Reads `Certificate ::= SEQUENCE { tbsCertificate, SEQUENCE { OID, … }, signature }`.
fn signature_algorithm<'c>(reader: &mut Reader<'c>) -> Result<Input<'c>, Unspecified> {
    let whole = expect_tag_and_get_value(reader, Tag::Sequence)?;
    whole.read_all(Unspecified, |certificate| {
        expect_tag_and_get_value(certificate, Tag::Sequence)?;
        let algorithm = expect_tag_and_get_value(certificate, Tag::Sequence)?;
        certificate.skip_to_end();
        algorithm.read_all(Unspecified, |algorithm| {
            let id = expect_tag_and_get_value(algorithm, Tag::OID)?;
            algorithm.skip_to_end();
            Ok(id)
        })
    })
}

/// 1.2.840.113549.1.1: RSA with MD5, SHA-1, SHA-256, SHA-384 or SHA-512.
const RSA: [u8; 8] = [0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 1, 1];
/// 1.2.840.10045.4: ECDSA with SHA-1, or in 3 with the others.
const ECDSA: [u8; 6] = [0x2a, 0x86, 0x48, 0xce, 0x3d, 4];

fn hash(oid: &[u8]) -> Option<&'static Algorithm> {
    match (oid.strip_prefix(&RSA), oid.strip_prefix(&ECDSA)) {
        (Some([4 | 5 | 11]), _) | (_, Some([1] | [3, 2])) => Some(&SHA256),
        (Some([12]), _) | (_, Some([3, 3])) => Some(&SHA384),
        (Some([13]), _) | (_, Some([3, 4])) => Some(&SHA512),
        _ => None,
    }
}
