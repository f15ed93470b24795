//! Secrets of the environment.

/// Returns the value of a variable or, if that is not set, what is in the file that the variable of this name with `_FILE`
/// appended names. It is read each time, so that a secret in a file can change while the service runs.
pub fn secret(variable: &str) -> Option<String> {
    secret_in(&|name| std::env::var(name).ok(), variable)
}

fn secret_in(variables: &dyn Fn(&str) -> Option<String>, variable: &str) -> Option<String> {
    variables(variable).or_else(|| std::fs::read_to_string(variables(&format!("{variable}_FILE"))?).ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_variable_comes_before_a_file() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("secret").display().to_string();
        std::fs::write(&file, "in the file\n").unwrap();
        let found = |set: &'static [&str]| {
            let variables = |name: &str| {
                let value = if name == "KEY_FILE" { file.clone() } else { "in the variable".to_owned() };
                set.contains(&name).then_some(value)
            };
            secret_in(&variables, "KEY")
        };
        assert_eq!(found(&["KEY_FILE"]).as_deref(), Some("in the file\n"));
        assert_eq!(found(&["KEY", "KEY_FILE"]).as_deref(), Some("in the variable"));
        assert_eq!(found(&[]), None);
        std::fs::remove_file(&file).unwrap();
        assert_eq!(found(&["KEY_FILE"]), None);
    }
}
