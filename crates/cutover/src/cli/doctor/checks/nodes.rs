use crate::cli::doctor::finding::Finding;
use crate::nodes::{describe, running, without_key};
use crate::open::{ExternalServices, OpenDatabase, build_app};
use crate::settings::Settings;
use cutover_app::port::Node;

const CHECK: &str = "processes";

/// Lists the processes that serve the database, and checks that they have this process's first encryption key.
pub(super) fn nodes(settings: &Settings, database: &OpenDatabase) -> Finding {
    let app = build_app(database, settings, ExternalServices::closed());
    match running(&app, settings) {
        Ok(nodes) => judge(database.encryption_keys().first().map(String::as_str), &nodes),
        Err(error) => Finding::fail(CHECK, error, "check the database"),
    }
}

fn judge(key: Option<&str>, nodes: &[Node]) -> Finding {
    let list = |nodes: &[&Node]| nodes.iter().map(|node| describe(node)).collect::<Vec<_>>().join("; ");
    let lacking = key.map(|key| (key, without_key(nodes, key))).filter(|(_, lacking)| !lacking.is_empty());
    match lacking {
        Some((key, lacking)) => Finding::warn(
            CHECK,
            format!("without the encryption key {key}: {}", list(&lacking)),
            "add the key there and restart them; a killed process is listed for another 30 s",
        ),
        None if nodes.is_empty() => Finding::ok(CHECK, "none serves this database"),
        None => Finding::ok(CHECK, list(&nodes.iter().collect::<Vec<_>>())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn node(id: &str, keys: &[&str]) -> Node {
        let at = "2026-11-21T02:00:00Z".parse().unwrap();
        Node {
            id: id.into(),
            role: "worker".into(),
            version: "1.2.3".into(),
            encryption_keys: keys.iter().map(|&key| key.to_owned()).collect(),
            started_at: at,
            seen_at: at,
            refused_as_of: None,
        }
    }

    #[test]
    fn processes_are_listed_and_those_without_the_key_are_named() {
        let nodes = [node("n1", &["b", "a"]), node("n2", &["a"]), node("n3", &[])];
        let lines: Vec<String> =
            [judge(None, &[]), judge(None, &nodes), judge(Some("a"), &nodes[..2]), judge(Some("b"), &nodes)]
                .iter()
                .map(Finding::line)
                .collect();
        insta::assert_snapshot!(lines.join("\n"));
    }
}
