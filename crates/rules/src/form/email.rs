/// Returns true if a trimmed text is an e-mail address (rules 10.2).
pub(crate) fn is_email(text: &str) -> bool {
    let mut parts = text.split('@');
    match (parts.next(), parts.next(), parts.next()) {
        (Some(local), Some(domain), None) => is_local(local) && is_domain(domain),
        _ => false,
    }
}

fn is_local(local: &str) -> bool {
    local.len() <= 64 && local.split('.').all(|run| !run.is_empty() && run.bytes().all(is_local_byte))
}

fn is_local_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"!#$%&'*+/=?^_`{|}~-".contains(&byte)
}

fn is_domain(domain: &str) -> bool {
    let Some((_, last)) = domain.rsplit_once('.') else { return false };
    domain.split('.').all(is_label) && is_top_level(last)
}

fn is_label(label: &str) -> bool {
    (1..=63).contains(&label.len())
        && label.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
        && !label.starts_with('-')
        && !label.ends_with('-')
}

/// Returns true if a label can be the last one: letters, or an encoded name that is not ASCII.
fn is_top_level(label: &str) -> bool {
    let letters = label.len() >= 2 && label.bytes().all(|byte| byte.is_ascii_alphabetic());
    let encoded = label.len() > 4 && label.as_bytes()[..4].eq_ignore_ascii_case(b"xn--");
    letters || encoded
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_accepted() {
        let longest_local = format!("{}@example.com", "a".repeat(64));
        let longest_label = format!("a@{}.com", "b".repeat(63));
        let texts = [
            "ann@example.com",
            "a@b.co",
            "Ann.O'Neil+bills@mail.example.com.au",
            "!#$%&'*+/=?^_`{|}~-@x.org",
            "1@2.com",
            "a@b-c.com",
            "a@b.XN--p1ai",
            "a@b.c.museum",
            &longest_local,
            &longest_label,
        ];
        for text in texts {
            assert!(is_email(text), "{text}");
        }
    }

    #[test]
    fn malformed_addresses_are_refused() {
        let long_local = format!("{}@example.com", "a".repeat(65));
        let long_label = format!("a@{}.com", "b".repeat(64));
        let texts = [
            "",
            "@",
            "ann",
            "@example.com",
            "ann@",
            "ann@com",
            "a@@b.com",
            "a@b@c.com",
            ".a@b.com",
            "a.@b.com",
            "a..b@c.com",
            "a b@c.com",
            "a@b c.com",
            "a@b..com",
            "a@.com",
            "a@b.com.",
            "a@-b.com",
            "a@b-.com",
            "a@b_c.com",
            "a@b.c",
            "a@b.c1",
            "a@b.123",
            "a@b.xn--",
            "a@b.xn--p-",
            "a@[1.2.3.4]",
            "\"a\"@b.com",
            "é@b.com",
            "a@é.com",
            "a,b@c.com",
            &long_local,
            &long_label,
        ];
        for text in texts {
            assert!(!is_email(text), "{text}");
        }
    }
}
