use actix_web::HttpRequest;
use actix_web::http::header::{HeaderMap, X_FORWARDED_FOR};
use std::cell::{Cell, OnceCell};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

/// The client of a request, as far as it is known: for limits, and for the log, also if it leaves before the response.
#[derive(Debug)]
pub(crate) struct Client {
    /// Its address, as far as proxies are trusted to name it.
    pub(crate) address: IpAddr,
    /// The organisation that it acts for.
    pub(crate) organisation: Cell<Option<i64>>,
    /// The public part of its API key.
    pub(crate) key: OnceCell<String>,
}

impl Client {
    /// Returns the client that sent a request.
    pub(crate) fn of(http: &HttpRequest, trusted: &[IpAddr]) -> Self {
        let peer = Self::at(http.peer_addr());
        Self { address: address(peer.address, http.headers(), trusted), ..peer }
    }

    /// Returns the client at the other end of a connection.
    pub(crate) fn at(peer: Option<SocketAddr>) -> Self {
        let address = peer.map_or(Ipv4Addr::UNSPECIFIED.into(), |peer| peer.ip().to_canonical());
        Self { address, organisation: Cell::default(), key: OnceCell::default() }
    }

    /// Keeps the public part of its key.
    pub(crate) fn set_key(&self, prefix: &str) {
        // A request has one key.
        let _ = self.key.set(prefix.to_owned());
    }
}

/// Returns the client's address: the peer, or, if that is a trusted proxy, the last forwarded address that is
/// not one. Headers of untrusted peers are ignored.
pub(crate) fn address(peer: IpAddr, headers: &HeaderMap, trusted: &[IpAddr]) -> IpAddr {
    let mut client = peer.to_canonical();
    if trusted.is_empty() {
        return client;
    }
    let headers: Vec<_> = headers.get_all(X_FORWARDED_FOR).filter_map(|h| h.to_str().ok()).collect();
    let mut forwarded = headers.iter().rev().flat_map(|h| h.rsplit(','));
    while trusted.contains(&client) {
        match forwarded.next().and_then(|address| address.trim().parse::<IpAddr>().ok()) {
            Some(address) => client = address.to_canonical(),
            None => break,
        }
    }
    client
}

/// Returns true if a proxy says that the client uses TLS: the first entry of a list is the client's.
pub(crate) fn is_forwarded_with_tls(headers: &HeaderMap) -> bool {
    let schemes = headers.get("x-forwarded-proto").and_then(|schemes| schemes.to_str().ok());
    let first = schemes.and_then(|schemes| schemes.split(',').next());
    first.is_some_and(|scheme| scheme.trim().eq_ignore_ascii_case("https"))
}

/// Returns true if a `Host` is the local computer.
pub(crate) fn is_loopback(host: &str) -> bool {
    let name = host.rsplit_once(':').filter(|(_, port)| port.bytes().all(|b| b.is_ascii_digit()));
    let name = name.map_or(host, |(name, _)| name).trim_end_matches('.').to_ascii_lowercase();
    let address = name.trim_start_matches('[').trim_end_matches(']').parse::<IpAddr>();
    name == "localhost" || name.ends_with(".localhost") || address.is_ok_and(|address| address.is_loopback())
}

/// Returns the key of rate limits: an IPv4 address, or the first half of an IPv6 one, since one client has
/// all of those.
pub(crate) fn network(address: IpAddr) -> IpAddr {
    match address {
        IpAddr::V4(_) => address,
        IpAddr::V6(v6) => Ipv6Addr::from_bits(v6.to_bits() >> 64 << 64).into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use actix_web::http::header::HeaderValue;

    fn of(peer: &str, forwarded: &[&str], trusted: &[&str]) -> String {
        let mut headers = HeaderMap::new();
        for value in forwarded {
            headers.append(X_FORWARDED_FOR, HeaderValue::from_str(value).unwrap());
        }
        let trusted: Vec<IpAddr> = trusted.iter().map(|t| t.parse().unwrap()).collect();
        address(peer.parse().unwrap(), &headers, &trusted).to_string()
    }

    #[test]
    fn only_trusted_proxies_are_believed() {
        assert_eq!(of("9.9.9.9", &["1.1.1.1"], &[]), "9.9.9.9");
        assert_eq!(of("9.9.9.9", &["1.1.1.1"], &["10.0.0.1"]), "9.9.9.9");
        assert_eq!(of("10.0.0.1", &["1.1.1.1"], &["10.0.0.1"]), "1.1.1.1");
        assert_eq!(of("::ffff:10.0.0.1", &["1.1.1.1"], &["10.0.0.1"]), "1.1.1.1");
        // The client itself wrote 6.6.6.6; the proxy added the peer's address.
        assert_eq!(of("10.0.0.1", &["6.6.6.6, 1.1.1.1"], &["10.0.0.1"]), "1.1.1.1");
        assert_eq!(of("10.0.0.1", &["1.1.1.1", "10.0.0.2"], &["10.0.0.1", "10.0.0.2"]), "1.1.1.1");
        assert_eq!(of("10.0.0.1", &["nonsense"], &["10.0.0.1"]), "10.0.0.1");
        assert_eq!(of("10.0.0.1", &[], &["10.0.0.1"]), "10.0.0.1");
    }

    #[test]
    fn loopback_hosts_are_recognised() {
        for host in
            ["localhost", "LOCALHOST:8080", "a.localhost", "127.0.0.1:80", "127.9.9.9", "[::1]:80", "[::1]"]
        {
            assert!(is_loopback(host), "{host}");
        }
        for host in ["", "a.example:80", "localhost.example", "10.0.0.1", "[2001:db8::1]:80", "128.0.0.1:1"] {
            assert!(!is_loopback(host), "{host}");
        }
    }

    #[test]
    fn ipv6_clients_are_identified_by_network() {
        assert_eq!(network("2001:db8::1:2:3:4".parse().unwrap()).to_string(), "2001:db8::");
        assert_eq!(network("192.0.2.7".parse().unwrap()).to_string(), "192.0.2.7");
    }
}
