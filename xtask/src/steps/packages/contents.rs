//! Checks the checksums, their signature, the provenance and the bills of materials.

use std::collections::BTreeSet;
use std::path::Path;

use serde_json::Value;

use super::trial::{Checked, Trial, ensure, found};
use crate::package::{Made, SUMS, signature};

/// Verifies the checksums with `sha256sum`, as users do, and that no file lacks one.
pub(super) fn sums(trial: &Trial, made: &Made) -> Checked {
    let mut command = trial.command("sha256sum");
    command.args(["--check", "--strict", SUMS]).current_dir(&made.folder);
    let checked = trial.output(command)?.lines().count();
    let files = std::fs::read_dir(&made.folder).map_err(|e| e.to_string())?.count();
    ensure(checked + 1 == files, || format!("{SUMS} has {checked} lines for {files} files"))?;
    Ok(None)
}

/// Signs the checksums with a new key, and verifies them as users do. Changed ones must not pass.
pub(super) fn signature(trial: &Trial, made: &Made) -> Checked {
    if found("ssh-keygen").is_none() {
        return Ok(Some("no ssh-keygen".to_owned()));
    }
    let (key, sums) = (trial.folder.join("key"), trial.folder.join(SUMS));
    let mut generate = trial.command("ssh-keygen");
    generate.args(["-q", "-t", "ed25519", "-N", "", "-f"]).arg(&key);
    trial.output(generate)?;
    let copied = std::fs::copy(made.folder.join(SUMS), &sums);
    copied.map_err(|e| format!("{}: {e}", sums.display()))?;
    signature::sign(&trial.folder, &key).map_err(|e| e.to_string())?;
    let verify =
        || {
            let mut shell = trial.command("sh");
            let namespace = signature::NAMESPACE;
            shell.args(["-c", &format!(
            "echo \"releases@example.com $(cat key.pub)\" > signers && ssh-keygen -Y verify -f signers \
             -I releases@example.com -n {namespace} -s {SUMS}.sig < {SUMS}"
        )]);
            trial.output(shell)
        };
    verify()?;
    let text = std::fs::read_to_string(&sums).map_err(|e| e.to_string())?;
    std::fs::write(&sums, text.replace("cutover", "other")).map_err(|e| e.to_string())?;
    ensure(verify().is_err(), || "changed checksums have a valid signature".to_owned())?;
    Ok(None)
}

/// Compares the provenance with the checksums, and with the commit of these sources.
pub(super) fn provenance(_: &Trial, made: &Made) -> Checked {
    let read = |name: &str| {
        let path = made.folder.join(name);
        std::fs::read_to_string(&path).map_err(|e| format!("{}: {e}", path.display()))
    };
    let statement: Value = serde_json::from_str(&read(&made.provenance)?).map_err(|e| e.to_string())?;
    let subjects = statement["subject"].as_array().into_iter().flatten();
    let mut lines: Vec<String> = subjects
        .map(|subject| {
            let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
            format!("{}  {}", text(&subject["digest"]["sha256"]), text(&subject["name"]))
        })
        .collect();
    lines.sort_by_key(|line| line.rsplit("  ").next().map(str::to_owned));
    let sums = read(SUMS)?;
    let others: Vec<&str> = sums.lines().filter(|line| !line.ends_with(&made.provenance)).collect();
    ensure(lines == others, || format!("the provenance is of {lines:?}, and {SUMS} of {others:?}"))?;
    let build = &statement["predicate"]["buildDefinition"];
    for member in ["target", "rustc"] {
        let value = &build["internalParameters"][member];
        ensure(value.as_str().is_some_and(|text| !text.is_empty()), || format!("{member} is {value}"))?;
    }
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
