use crate::cli::doctor::finding::Finding;
use crate::settings::{MemoryPlan, SettingsError, shown_bytes};

/// Compares the limits of a server with the memory that it may use.
pub(super) fn fits(checked: Result<(), SettingsError>, plan: &MemoryPlan) -> Finding {
    let more = "allow the server more memory, for example by the limit of its container";
    let Some(limit) = plan.limit else {
        return Finding::ok("memory", "the process has no limit");
    };
    let limit = shown_bytes(limit);
    match (checked, plan.lowered()) {
        (Err(error), _) => Finding::fail("memory", error, more),
        (Ok(()), Some(lowered)) => Finding::warn("memory", format!("with {limit} of memory {lowered}"), more),
        (Ok(()), None) => Finding::ok("memory", format!("{limit} suffice for all limits")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::{Environment, Flags, Settings};

    #[test]
    fn limits_are_compared_with_the_memory() {
        let line = |memory: &str, body_limit: Option<&str>| {
            let threads = [("http-workers", "2"), ("workers", "2"), ("memory-limit", memory)];
            let given = threads.into_iter().chain(body_limit.map(|limit| ("body-limit", limit)));
            let flags: Flags = given.map(|(name, value)| (name, vec![value.to_owned()])).collect();
            let settings = Settings::load(&flags, &Environment::new()).unwrap();
            fits(settings.check_memory(), &settings.memory).line()
        };
        let lines = [
            line("16GiB", None),
            line("256MiB", None),
            line("256MiB", Some("8MiB")),
            line("256MiB", Some("1MiB")),
            line("110MiB", None),
        ];
        insta::assert_snapshot!(lines.join("\n"));
    }
}
