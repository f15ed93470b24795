use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use url::{Host, Url};

/// Addresses that a vendor may have, by the scheme of its base URL (contract D11). Link-local addresses and
/// those of cloud metadata services, which give out credentials, are never allowed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum AddressRule {
    /// `https:`: the certificate identifies the vendor.
    Anywhere,
    /// `http:`: loopback and private addresses.
    Private,
}

impl AddressRule {
    pub(crate) fn allows(self, address: IpAddr) -> bool {
        refused_kind(address).is_none() && (self == Self::Anywhere || is_private(address))
    }
}

/// A base URL that follows contract D11 as far as its text shows.
#[derive(Debug, Clone)]
pub(crate) struct BaseUrl {
    pub(crate) url: Url,
    pub(crate) rule: AddressRule,
}

impl BaseUrl {
    /// # Errors
    /// Reason for the operator. It repeats only the scheme and the address, because the text may hold a
    /// password.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let url = parse_plainly(text).ok_or("it is not a URL such as https://payments.example")?;
        let rule = rule_of(&url)?;
        if !url.username().is_empty() || url.password().is_some() {
            return Err("it contains a user or a password, which belongs in an environment variable".into());
        }
        if url.query().is_some() || url.fragment().is_some() {
            return Err("it has a query or a fragment".into());
        }
        if let Some(address) = literal_address(&url) {
            check_address(rule, address)?;
        }
        Ok(Self { url, rule })
    }
}

/// Refuses characters that the parser would drop or replace, such as line breaks and `\`.
fn parse_plainly(text: &str) -> Option<Url> {
    let odd = |c: char| c.is_whitespace() || c.is_control() || c == '\\';
    if text.contains(odd) { None } else { Url::parse(text).ok() }
}

fn rule_of(url: &Url) -> Result<AddressRule, String> {
    match url.scheme() {
        "https" => Ok(AddressRule::Anywhere),
        "http" => Ok(AddressRule::Private),
        other => Err(format!("{other}: is refused; use https:, or http: to a loopback or private address")),
    }
}

fn check_address(rule: AddressRule, address: IpAddr) -> Result<(), String> {
    match refused_kind(address) {
        Some(kind) => Err(format!("{address} is {kind}, which is refused")),
        None if rule.allows(address) => Ok(()),
        None => Err(format!("http: is for loopback and private addresses, not for {address}: use https:")),
    }
}

/// The address, if the URL contains one. The parser has normalized decimal, octal and hexadecimal forms.
fn literal_address(url: &Url) -> Option<IpAddr> {
    match url.host()? {
        Host::Domain(_) => None,
        Host::Ipv4(address) => Some(address.into()),
        Host::Ipv6(address) => Some(address.into()),
    }
}

/// IPv4 addresses of cloud metadata services that are not link-local.
const METADATA_4: [Ipv4Addr; 3] = [
    // Alibaba Cloud.
    Ipv4Addr::new(100, 100, 100, 200),
    // Azure: certificates and configuration of the machine.
    Ipv4Addr::new(168, 63, 129, 16),
    // Oracle Cloud.
    Ipv4Addr::new(192, 0, 0, 192),
];

/// IPv6 prefixes of cloud metadata services, with their lengths in segments of 16 bits. All are among the
/// unique local addresses, which `http:` may go to.
const METADATA_6: [(Ipv6Addr, usize); 6] = [
    // AWS: instance metadata at ::254, credentials of EKS pods at ::23.
    (Ipv6Addr::new(0xfd00, 0xec2, 0, 0, 0, 0, 0, 0), 2),
    // Google Cloud. Its customers' networks have other prefixes of 48 bits next to this one.
    (Ipv6Addr::new(0xfd20, 0xce, 0, 0, 0, 0, 0, 0), 3),
    // Alibaba Cloud.
    (Ipv6Addr::new(0xfd00, 0x100, 0, 0, 0, 0, 0x100, 0x200), 8),
    // Oracle Cloud.
    (Ipv6Addr::new(0xfd00, 0xc1, 0, 0, 0, 0, 0xa9fe, 0xa9fe), 8),
    // Akamai (Linode).
    (Ipv6Addr::new(0xfd00, 0xa9fe, 0xa9fe, 0, 0, 0, 0, 0), 3),
    // Scaleway.
    (Ipv6Addr::new(0xfd00, 0x42, 0, 0, 0, 0, 0, 0x42), 8),
];

/// Reason why an address is refused under every rule. An IPv6 address is also refused if it leads to such an
/// IPv4 address.
fn refused_kind(address: IpAddr) -> Option<&'static str> {
    let own = std::iter::once(address);
    let embedded = match address {
        IpAddr::V4(_) => Vec::new(),
        IpAddr::V6(six) => embedded(six),
    };
    own.chain(embedded.into_iter().map(IpAddr::V4)).find_map(|address| match address {
        _ if is_link_local(address) => Some("link-local"),
        _ if is_metadata(address) => Some("that of a cloud's metadata service"),
        _ => None,
    })
}

/// IPv4 addresses that an IPv6 address may stand for: mapped, translated, compatible, NAT64, 6to4, Teredo and
/// ISATAP. The prefix of a local NAT64 does not determine the position of the address, so there may be
/// several.
fn embedded(six: Ipv6Addr) -> Vec<Ipv4Addr> {
    let octets = six.octets();
    let at = |places: [usize; 4]| Ipv4Addr::from(places.map(|place| octets[place]));
    let last = at([12, 13, 14, 15]);
    match six.segments() {
        [0, 0, 0, 0, 0, 0 | 0xffff, ..] | [0, 0, 0, 0, 0xffff, 0, ..] | [0x64, 0xff9b, 0, 0, 0, 0, ..] => {
            vec![last]
        }
        [0x64, 0xff9b, 1, ..] => vec![last, at([6, 7, 9, 10]), at([7, 9, 10, 11]), at([9, 10, 11, 12])],
        [0x2002, ..] => vec![at([2, 3, 4, 5])],
        [0x2001, 0, ..] => vec![Ipv4Addr::from(!u32::from(last))],
        [_, _, _, _, 0 | 0x200, 0x5efe, ..] => vec![last],
        _ => Vec::new(),
    }
}

fn is_link_local(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(four) => four.is_link_local(),
        IpAddr::V6(six) => six.is_unicast_link_local(),
    }
}

fn is_metadata(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(four) => METADATA_4.contains(&four),
        IpAddr::V6(six) => {
            let begins = |(prefix, length): &(Ipv6Addr, usize)| {
                six.segments()[..*length] == prefix.segments()[..*length]
            };
            METADATA_6.iter().any(begins)
        }
    }
}

/// True if packets to an address stay on this machine or in a private network. Mapped and NAT64 addresses
/// count as the IPv4 address.
fn is_private(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(four) => four.is_loopback() || four.is_private(),
        IpAddr::V6(six) => match six.segments() {
            [0, 0, 0, 0, 0, 0xffff, ..] | [0x64, 0xff9b, 0, 0, 0, 0, ..] => {
                embedded(six).into_iter().all(|four| is_private(four.into()))
            }
            _ => six.is_loopback() || six.is_unique_local(),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(text: &str) -> String {
        BaseUrl::parse(text).err().unwrap_or_else(|| panic!("{text} is taken"))
    }

    #[test]
    fn https_allows_any_address() {
        for url in [
            "https://payments.example",
            "https://8.8.8.8:8443/v1",
            "https://127.0.0.1",
            "https://[2001:db8::1]/",
        ] {
            assert_eq!(BaseUrl::parse(url).unwrap().rule, AddressRule::Anywhere, "{url}");
        }
    }

    #[test]
    fn http_allows_private_addresses_only() {
        for host in [
            "127.0.0.1:80",
            "localhost:8000",
            "10.1.2.3",
            "172.16.0.1",
            "192.168.1.1",
            "[::1]",
            "[fd00::1]",
            "[::ffff:10.0.0.1]",
        ] {
            let url = format!("http://{host}/pay");
            assert_eq!(BaseUrl::parse(&url).unwrap().rule, AddressRule::Private, "{url}");
        }
        for host in [
            "8.8.8.8",
            "172.32.0.1",
            "192.169.0.1",
            "0.0.0.0",
            "255.255.255.255",
            "[2001:db8::1]",
            "[::]",
            "[::ffff:8.8.8.8]",
        ] {
            let url = format!("http://{host}/pay");
            assert!(refusal(&url).starts_with("http: is for loopback and private addresses"), "{url}");
        }
    }

    #[test]
    fn link_local_is_refused_in_every_notation() {
        let notations = [
            "169.254.169.254",
            "2852039166",
            "0xa9fea9fe",
            "0251.0376.0251.0376",
            "169.254.43518",
            "[fe80::1]",
            "[febf::1]",
            "[::ffff:169.254.169.254]",
            "[64:ff9b::a9fe:a9fe]",
            "[::169.254.169.254]",
            "[::ffff:0:169.254.169.254]",
            "[64:ff9b:1::a9fe:a9fe]",
            "[64:ff9b:1:a9fe:a9:fe00::]",
            "[64:ff9b:1:a9:fe:a9fe::]",
            "[64:ff9b:1:0:a9:fea9:fe00:0]",
            "[2002:a9fe:a9fe::]",
            "[2001:0:4136:e378:8000:63bf:5601:5601]",
            "[2001:db8::5efe:a9fe:a9fe]",
        ];
        for host in notations {
            for scheme in ["http", "https"] {
                let url = format!("{scheme}://{host}/");
                assert!(refusal(&url).ends_with("is link-local, which is refused"), "{url}");
            }
        }
    }

    #[test]
    fn metadata_services_are_refused_in_every_notation() {
        let hosts = [
            "100.100.100.200",
            "168.63.129.16",
            "192.0.0.192",
            "[fd00:ec2::254]",
            "[fd00:ec2::23]",
            "[fd20:ce::254]",
            "[fd00:100::100:200]",
            "[fd00:c1::a9fe:a9fe]",
            "[fd00:a9fe:a9fe::1]",
            "[fd00:42::42]",
            "[::ffff:100.100.100.200]",
            "[::168.63.129.16]",
            "[64:ff9b::168.63.129.16]",
            "[2002:a83f:8110::1]",
        ];
        for host in hosts {
            for scheme in ["http", "https"] {
                let url = format!("{scheme}://{host}/");
                assert!(
                    refusal(&url).ends_with("is that of a cloud's metadata service, which is refused"),
                    "{url}"
                );
            }
        }
        // Neighbouring addresses and other private IPv6 networks are not refused.
        for host in ["fd00::1", "fd00:ec3::254", "fd20:ce:1::254", "fd00:42::43", "fdab::1"] {
            for scheme in ["http", "https"] {
                assert!(BaseUrl::parse(&format!("{scheme}://[{host}]/")).is_ok(), "{host}");
            }
        }
    }

    #[test]
    fn other_texts_are_refused_with_a_reason() {
        let causes = [
            ("", "it is not a URL"),
            ("payments.example", "it is not a URL"),
            ("https://payments.example/a b", "it is not a URL"),
            ("https://pay\nments.example", "it is not a URL"),
            ("http:\\\\127.0.0.1", "it is not a URL"),
            ("file:///etc/passwd", "file: is refused"),
            ("ftp://127.0.0.1", "ftp: is refused"),
            ("gopher://127.0.0.1", "gopher: is refused"),
            ("https://user@payments.example", "it contains a user or a password"),
            ("https://:word@payments.example", "it contains a user or a password"),
            ("https://payments.example/?a=b", "it has a query or a fragment"),
            ("https://payments.example/#a", "it has a query or a fragment"),
        ];
        for (text, cause) in causes {
            let refusal = refusal(text);
            assert!(refusal.starts_with(cause), "{text}: {refusal}");
            assert!(!refusal.contains("word@"), "{refusal}");
        }
    }
}
