use std::io;
use std::net::SocketAddr;
use url::Url;

/// Parses a URL. Errors do not show it, because it may contain a password.
pub(crate) fn parse(url: &str) -> io::Result<Url> {
    Url::parse(url).map_err(|e| io::Error::other(format!("the URL of the database is invalid: {e}")))
}

/// Replaces the address in a URL.
pub(crate) fn at(url: &str, address: SocketAddr) -> io::Result<String> {
    let mut url = parse(url)?;
    url.set_ip_host(address.ip())
        .and_then(|()| url.set_port(Some(address.port())))
        .map_err(|()| io::Error::other("the URL of the database has no host"))?;
    Ok(url.into())
}

/// Returns the address of the server of a URL.
pub(crate) fn address(url: &str) -> io::Result<SocketAddr> {
    let missing = || io::Error::other("the URL of the database has no address");
    parse(url)?.socket_addrs(|| Some(5432))?.into_iter().next().ok_or_else(missing)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_address_changes() {
        let there = "postgres://me:p%40ss@db.example:5432/it?sslmode=require";
        let here = at(there, ([127, 0, 0, 1], 6543).into()).unwrap();
        assert_eq!(here, "postgres://me:p%40ss@127.0.0.1:6543/it?sslmode=require");
    }

    #[test]
    fn a_faulty_url_is_not_shown() {
        let error = at("me:secret@host: 1", ([127, 0, 0, 1], 1).into()).unwrap_err();
        assert!(!error.to_string().contains("secret"), "{error}");
    }
}
