//! Settings from text: durations, sizes, addresses.

use std::net::{IpAddr, SocketAddr};
use std::time::Duration;

/// A duration: a whole number of `ms`, `s`, `m`, `h` or `d`. Without a unit it could mean any of them, so none is
/// assumed.
pub(super) fn duration(text: &str) -> Result<Duration, String> {
    let wrong = || format!("is {text:?}, not a time such as 500ms, 60s, 5m, 1h or 7d");
    let (number, unit) = split_unit(text).ok_or_else(wrong)?;
    let millis = match unit {
        "" => {
            return Err(format!(
                "is {text:?}, a time without a unit: write {number}s, or for example 60s or 5m"
            ));
        }
        "ms" => 1,
        "s" => 1_000,
        "m" => 60_000,
        "h" => 3_600_000,
        "d" => 86_400_000,
        _ => return Err(wrong()),
    };
    number.checked_mul(millis).map(Duration::from_millis).ok_or_else(wrong)
}

/// A number of bytes: a whole number of `KiB`, `MiB` or `GiB`; bytes without a unit.
pub(super) fn size(text: &str) -> Result<usize, String> {
    let wrong = || format!("is {text:?}, not a size such as 8388608, 512KiB or 8MiB");
    let (number, unit) = split_unit(text).ok_or_else(wrong)?;
    let bytes = match unit {
        "" | "B" => 1,
        "KiB" => 1 << 10,
        "MiB" => 1 << 20,
        "GiB" => 1 << 30,
        _ => return Err(wrong()),
    };
    number.checked_mul(bytes).and_then(|bytes: u64| usize::try_from(bytes).ok()).ok_or_else(wrong)
}

fn split_unit(text: &str) -> Option<(u64, &str)> {
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    Some((text[..end].parse().ok()?, text[end..].trim_start()))
}

/// A whole number from `least` to `most`.
pub(super) fn number(text: &str, least: usize, most: usize) -> Result<usize, String> {
    let number = text.parse().ok().filter(|n| (least..=most).contains(n));
    number.ok_or_else(|| format!("is {text:?}, not a whole number from {least} to {most}"))
}

/// An IP address and a port.
pub(super) fn address(text: &str) -> Result<SocketAddr, String> {
    let named = text.strip_prefix("localhost:").map(|port| format!("127.0.0.1:{port}"));
    let wrong = || format!("is {text:?}, not an IP address and a port such as 127.0.0.1:8080 or [::1]:8080");
    named.as_deref().unwrap_or(text).parse().map_err(|_| wrong())
}

/// The address of a proxy.
pub(super) fn proxy(text: &str) -> Result<IpAddr, String> {
    let address: IpAddr =
        text.parse().map_err(|_| format!("is {text:?}, not the IP address of a proxy such as 10.0.0.5"))?;
    // No peer has such an address: whoever writes it means everybody, who must not be trusted.
    if address.is_unspecified() {
        return Err(format!("is {text:?}: trusting everybody lets anybody forge the client's address"));
    }
    Ok(address.to_canonical())
}

/// Yes or no.
pub(super) fn switch(text: &str) -> Result<bool, String> {
    text.parse().map_err(|_| format!("is {text:?}, not true or false"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_and_sizes_have_units() {
        assert_eq!(duration("90s"), Ok(Duration::from_secs(90)));
        assert_eq!(duration("500ms"), Ok(Duration::from_millis(500)));
        assert_eq!(duration("7d"), Ok(Duration::from_secs(604_800)));
        assert_eq!(size("8MiB"), Ok(8 << 20));
        assert_eq!(size("1024"), Ok(1024));
        for bad in ["", "-1", "1.5s", "s", "1w", "99999999999999999999", "18446744073709551615d"] {
            assert!(duration(bad).is_err(), "{bad}");
        }
        for unitless in ["0", "60", "86400"] {
            let refused = duration(unitless).unwrap_err();
            assert!(refused.contains(&format!("write {unitless}s, or for example")), "{refused}");
        }
        for bad in ["", "-1", "8MB", "1.5MiB", "99999999999GiB"] {
            assert!(size(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn addresses_have_a_port() {
        assert_eq!(address("localhost:0").unwrap().to_string(), "127.0.0.1:0");
        assert_eq!(address("[::1]:8080").unwrap().to_string(), "[::1]:8080");
        for bad in ["", "8080", "127.0.0.1", "127.0.0.1:99999", "host:80"] {
            assert!(address(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn everybody_is_no_proxy() {
        assert_eq!(proxy("::ffff:10.0.0.5"), Ok("10.0.0.5".parse().unwrap()));
        for bad in ["0.0.0.0", "::", "10.0.0.0/8", "proxy", ""] {
            assert!(proxy(bad).is_err(), "{bad}");
        }
    }
}
