use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use url::{Host, Url};

/// Which addresses a vendor may have, by the scheme of its base URL (decisions D11). Link-local ones, where
/// clouds keep their secrets, are never among them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum AddressRule {
    /// `https:`: the certificate shows who is there.
    Anywhere,
    /// `http:`: loopback and private addresses.
    Near,
}

impl AddressRule {
    pub(super) fn allows(self, address: IpAddr) -> bool {
        let address = true_address(address);
        !is_link_local(address) && (self == Self::Anywhere || is_near(address))
    }
}

/// A base URL that keeps the rule of decisions D11 as far as its text tells.
#[derive(Debug, Clone)]
pub(super) struct BaseUrl {
    pub(super) url: Url,
    pub(super) rule: AddressRule,
}

impl BaseUrl {
    /// # Errors
    /// What is wrong with the text, for the operator. Nothing of it is repeated but scheme and address: it
    /// may hold a password.
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        let url = parse_plainly(text).ok_or("it is no URL such as https://payments.example")?;
        let rule = rule_of(&url)?;
        if !url.username().is_empty() || url.password().is_some() {
            return Err(
                "it holds a user or a password: a secret belongs in a variable of the environment".into()
            );
        }
        if url.query().is_some() || url.fragment().is_some() {
            return Err("it has a query or a fragment: it ends with its path".into());
        }
        if let Some(address) = literal_address(&url) {
            check_address(rule, address)?;
        }
        Ok(Self { url, rule })
    }
}

/// The parser passes over line breaks and takes `\` for `/`: what it would read is not what stands there.
fn parse_plainly(text: &str) -> Option<Url> {
    let odd = |c: char| c.is_whitespace() || c.is_control() || c == '\\';
    if text.contains(odd) { None } else { Url::parse(text).ok() }
}

fn rule_of(url: &Url) -> Result<AddressRule, String> {
    match url.scheme() {
        "https" => Ok(AddressRule::Anywhere),
        "http" => Ok(AddressRule::Near),
        other => Err(format!("{other}: is refused: it is https:, or http: to a loopback or private address")),
    }
}

fn check_address(rule: AddressRule, address: IpAddr) -> Result<(), String> {
    match rule {
        _ if rule.allows(address) => Ok(()),
        _ if is_link_local(true_address(address)) => {
            Err(format!("{address} is link-local, which is refused"))
        }
        _ => Err(format!("http: is for loopback and private addresses, not for {address}: use https:")),
    }
}

/// The address, if the URL names one (decimal, octal and hexadecimal forms are normal ones here).
fn literal_address(url: &Url) -> Option<IpAddr> {
    match url.host()? {
        Host::Domain(_) => None,
        Host::Ipv4(address) => Some(address.into()),
        Host::Ipv6(address) => Some(address.into()),
    }
}

/// Where packets to an address go in the end: IPv4 in the clothes of IPv6 (mapped, or through NAT64).
fn true_address(address: IpAddr) -> IpAddr {
    match address {
        IpAddr::V4(_) => address,
        IpAddr::V6(six) => embedded(six).map_or(address, IpAddr::V4),
    }
}

fn embedded(address: Ipv6Addr) -> Option<Ipv4Addr> {
    match address.segments() {
        [0x64, 0xff9b, 0, 0, 0, 0, high, low] => Some(Ipv4Addr::from(u32::from(high) << 16 | u32::from(low))),
        _ => address.to_ipv4_mapped(),
    }
}

fn is_link_local(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(four) => four.is_link_local(),
        IpAddr::V6(six) => six.is_unicast_link_local(),
    }
}

fn is_near(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(four) => four.is_loopback() || four.is_private(),
        IpAddr::V6(six) => six.is_loopback() || six.is_unique_local(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(text: &str) -> String {
        BaseUrl::parse(text).err().unwrap_or_else(|| panic!("{text} is taken"))
    }

    #[test]
    fn https_goes_anywhere() {
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
    fn http_stays_near() {
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
            assert_eq!(BaseUrl::parse(&url).unwrap().rule, AddressRule::Near, "{url}");
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
    fn link_local_is_refused_in_every_dress() {
        let dresses = [
            "169.254.169.254",
            "2852039166",
            "0xa9fea9fe",
            "0251.0376.0251.0376",
            "169.254.43518",
            "[fe80::1]",
            "[febf::1]",
            "[::ffff:169.254.169.254]",
            "[64:ff9b::a9fe:a9fe]",
        ];
        for host in dresses {
            for scheme in ["http", "https"] {
                let url = format!("{scheme}://{host}/");
                assert!(refusal(&url).ends_with("is link-local, which is refused"), "{url}");
            }
        }
    }

    #[test]
    fn other_texts_are_refused_with_their_cause() {
        let causes = [
            ("", "it is no URL"),
            ("payments.example", "it is no URL"),
            ("https://payments.example/a b", "it is no URL"),
            ("https://pay\nments.example", "it is no URL"),
            ("http:\\\\127.0.0.1", "it is no URL"),
            ("file:///etc/passwd", "file: is refused"),
            ("ftp://127.0.0.1", "ftp: is refused"),
            ("gopher://127.0.0.1", "gopher: is refused"),
            ("https://user@payments.example", "it holds a user or a password"),
            ("https://:word@payments.example", "it holds a user or a password"),
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
