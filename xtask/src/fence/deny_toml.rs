//! Compares `deny.toml`, which states the table in cargo-deny's terms, with the table.

use std::collections::BTreeSet;

use serde::Deserialize;

use super::table::Layer;
use crate::error::Error;

/// Placeholder for no users: cargo-deny bans a crate with an empty list of wrappers even as a member of the
/// workspace.
const NOBODY: &str = "nobody";

#[derive(Deserialize)]
struct DenyToml {
    bans: Bans,
}

#[derive(Deserialize)]
struct Bans {
    deny: Vec<Ban>,
}

#[derive(Deserialize)]
struct Ban {
    #[serde(rename = "crate")]
    name: String,
    #[serde(default)]
    wrappers: BTreeSet<String>,
}

/// Returns a line for each crate whose users differ.
pub(super) fn differences(deny_toml: &str, layers: &[Layer]) -> Result<Vec<String>, Error> {
    let bans = toml::from_str::<DenyToml>(deny_toml)?.bans.deny;
    Ok(layers.iter().filter_map(|layer| difference(layer.name, &bans, layers)).collect())
}

fn difference(name: &str, bans: &[Ban], layers: &[Layer]) -> Option<String> {
    let users = users(name, layers);
    let Some(ban) = bans.iter().find(|ban| ban.name == name) else {
        return Some(format!("deny.toml does not ban {name}; its wrappers are {users:?}"));
    };
    let listed: BTreeSet<&str> = ban.wrappers.iter().map(String::as_str).collect();
    (listed != users)
        .then(|| format!("deny.toml has the wrappers {listed:?} for {name}; the fence has {users:?}"))
}

fn users<'a>(name: &str, layers: &'a [Layer]) -> BTreeSet<&'a str> {
    let users: BTreeSet<_> =
        layers.iter().filter(|layer| layer.may.contains(&name)).map(|layer| layer.name).collect();
    if users.is_empty() { BTreeSet::from([NOBODY]) } else { users }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LAYERS: &[Layer] =
        &[Layer { name: "low", may: &[], never: &[] }, Layer { name: "high", may: &["low"], never: &[] }];

    fn differences_of(low: &str, high: &str) -> Vec<String> {
        let ban = |name: &str, wrappers: &str| format!("{{ crate = \"{name}\", wrappers = [{wrappers}] }}");
        let text = format!("[bans]\ndeny = [{}, {}]", ban("low", low), ban("high", high));
        differences(&text, LAYERS).unwrap()
    }

    #[test]
    fn equal_users_are_accepted() {
        assert_eq!(differences_of("'high'", "'nobody'"), [""; 0]);
    }

    #[test]
    fn a_missing_or_additional_user_is_reported() {
        let fault = ["deny.toml has the wrappers {\"other\"} for low; the fence has {\"high\"}"];
        assert_eq!(differences_of("'other'", "'nobody'"), fault);
        let fault = ["deny.toml has the wrappers {} for high; the fence has {\"nobody\"}"];
        assert_eq!(differences_of("'high'", ""), fault);
    }

    #[test]
    fn a_missing_ban_is_reported() {
        let faults = differences("bans.deny = [{ crate = 'low', wrappers = ['high'] }]", LAYERS).unwrap();
        assert_eq!(faults, ["deny.toml does not ban high; its wrappers are {\"nobody\"}"]);
    }
}
