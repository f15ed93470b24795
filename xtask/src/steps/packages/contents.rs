//! Checks the checksums and the bills of materials.

use std::collections::BTreeSet;
use std::path::Path;

use serde_json::Value;

use super::trial::{Checked, Trial, ensure};
use crate::package::{Made, SUMS};

/// Verifies the checksums with `sha256sum`, as users do, and that no file lacks one.
pub(super) fn sums(trial: &Trial, made: &Made) -> Checked {
    let mut command = trial.command("sha256sum");
    command.args(["--check", "--strict", SUMS]).current_dir(&made.folder);
    let checked = trial.output(command)?.lines().count();
    let files = std::fs::read_dir(&made.folder).map_err(|e| e.to_string())?.count();
    ensure(checked + 1 == files, || format!("{SUMS} has {checked} lines for {files} files"))?;
    Ok(None)
}

/// Checks what is listed and what is not.
pub(super) fn bills(_: &Trial, made: &Made) -> Checked {
    let service = crates(&made.folder.join(&made.service_bill))?;
    let client = crates(&made.folder.join(&made.client_bill))?;
    for (name, crates) in [("diesel", &service), ("actix-web", &service), ("reqwest", &client)] {
        ensure(crates.contains(name), || format!("{name} is not listed"))?;
    }
    // The last two: of macros and of tests.
    for (name, crates) in
        [("openssl-sys", &service), ("diesel", &client), ("syn", &service), ("insta", &service)]
    {
        ensure(!crates.contains(name), || format!("{name} is listed"))?;
    }
    Ok(None)
}

/// The names of the crates in a bill whose parts refer to each other correctly.
fn crates(path: &Path) -> Result<BTreeSet<String>, String> {
    let text = std::fs::read_to_string(path).map_err(|e| format!("{}: {e}", path.display()))?;
    let bill: Value = serde_json::from_str(&text).map_err(|e| format!("{}: {e}", path.display()))?;
    let fault = faults(&bill).into_iter().next();
    ensure(fault.is_none(), || format!("{}: {}", path.display(), fault.unwrap_or_default()))?;
    Ok(texts(&bill["components"], "name").into_iter().collect())
}

fn faults(bill: &Value) -> Vec<String> {
    let mut faults = Vec::new();
    if (&bill["bomFormat"], &bill["specVersion"]) != (&"CycloneDX".into(), &"1.5".into()) {
        faults.push("it is not CycloneDX 1.5".to_owned());
    }
    let mut known: BTreeSet<String> = texts(&bill["components"], "bom-ref").into_iter().collect();
    known.extend(bill["metadata"]["component"]["bom-ref"].as_str().map(str::to_owned));
    let of_others = bill["components"].as_array().into_iter().flatten().filter(|component| {
        component["licenses"].is_null()
            || (component["hashes"].is_null()
                && !component["name"].as_str().unwrap_or_default().starts_with("cutover-"))
    });
    faults.extend(of_others.map(|component| format!("{} has no licence or no checksum", component["name"])));
    let entries = texts(&bill["dependencies"], "ref").into_iter().collect::<BTreeSet<_>>();
    if entries != known {
        faults.push("components and dependencies differ".to_owned());
    }
    let targets = bill["dependencies"].as_array().into_iter().flatten().map(|entry| &entry["dependsOn"]);
    let targets = targets.filter_map(Value::as_array).flatten().filter_map(Value::as_str);
    faults.extend(targets.filter(|to| !known.contains(*to)).map(|to| format!("{to} is no component")));
    faults
}

/// A member of each object in a list.
fn texts(list: &Value, member: &str) -> Vec<String> {
    let objects = list.as_array().into_iter().flatten();
    objects.filter_map(|object| object[member].as_str().map(str::to_owned)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn bill(to: &str, checksum: Value) -> Value {
        let a = json!({"bom-ref": "a", "name": "a", "licenses": [{"expression": "MIT"}], "hashes": checksum});
        json!({
            "bomFormat": "CycloneDX",
            "specVersion": "1.5",
            "metadata": {"component": {"bom-ref": "p"}},
            "components": [a],
            "dependencies": [{"ref": "a", "dependsOn": []}, {"ref": "p", "dependsOn": [to]}],
        })
    }

    #[test]
    fn a_bill_must_be_complete_and_refer_to_its_parts() {
        assert_eq!(faults(&bill("a", json!([{}]))), [""; 0]);
        assert_eq!(faults(&bill("b", json!([{}]))), ["b is no component"]);
        assert_eq!(faults(&bill("a", Value::Null)), ["\"a\" has no licence or no checksum"]);
        assert!(faults(&json!({})).contains(&"it is not CycloneDX 1.5".to_owned()));
    }
}
