//! Tests of the containers in `deploy/`.

use serde_json::{Value, json};

use super::{RULES, files_below, program, read};

/// Seconds between the end of the shutdown-timeout and the kill.
const SLACK: u64 = 5;

/// Every document of a YAML file.
fn documents(path: impl AsRef<std::path::Path>) -> Vec<Value> {
    let path = path.as_ref();
    let documents = serde_saphyr::from_multiple(&read(path));
    documents.unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn compose() -> Value {
    documents("deploy/compose.yaml").remove(0)
}

/// The services of compose that run our image, by name.
fn services(compose: &Value) -> Vec<(&String, &Value)> {
    let services = compose["services"].as_object().unwrap().iter();
    services.filter(|(_, service)| service["image"] == "cutover:latest").collect()
}

/// The Kubernetes objects of a kind.
pub(super) fn objects(kind: &str) -> Vec<Value> {
    let files = files_below("deploy/kubernetes");
    let yaml = files.iter().filter(|path| path.extension().is_some_and(|end| end == "yaml"));
    yaml.flat_map(documents).filter(|object| object["kind"] == kind).collect()
}

/// The pods that run our image, by the names of their Deployments or Jobs.
fn pods() -> Vec<(String, Value)> {
    let pod = |object: Value| {
        let name = object["metadata"]["name"].as_str().unwrap().to_owned();
        (name, object["spec"]["template"]["spec"].clone())
    };
    ["Deployment", "Job"].into_iter().flat_map(objects).map(pod).collect()
}

/// The value of a variable in the settings for Kubernetes.
fn setting(name: &str) -> String {
    let settings = read("deploy/kubernetes/settings/settings.env");
    let line = settings.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix('='));
    line.unwrap_or_else(|| panic!("{name} is not set")).to_owned()
}

fn words(list: &Value) -> Vec<String> {
    list.as_array().unwrap().iter().map(|word| word.as_str().unwrap().to_owned()).collect()
}

/// `45s` and `2m` in seconds.
fn seconds(time: &str) -> u64 {
    let (number, unit) = time.split_at(time.len() - 1);
    number.parse::<u64>().unwrap() * if unit == "m" { 60 } else { 1 }
}

/// The unprivileged user of the image.
fn user() -> u64 {
    let file = read("deploy/Containerfile");
    let user = file.lines().filter_map(|line| line.strip_prefix("USER ")).next_back().unwrap();
    user.split(':').next().unwrap().parse().unwrap()
}

#[test]
fn every_yaml_file_is_sound() {
    let files = files_below("deploy");
    let yaml = files.iter().filter(|path| path.extension().is_some_and(|end| end == "yaml"));
    let empty: Vec<_> = yaml.filter(|path| documents(path).iter().any(Value::is_null)).collect();
    assert_eq!(empty, [""; 0]);
    assert!(!services(&compose()).is_empty() && pods().len() == 3);
}

#[test]
fn containers_call_commands_that_there_are() {
    let compose = compose();
    let mut calls: Vec<_> = services(&compose)
        .iter()
        .map(|(name, service)| ((*name).clone(), words(&service["command"])))
        .collect();
    calls.extend(pods().iter().map(|(name, pod)| (name.clone(), words(&pod["containers"][0]["args"]))));
    let faults: Vec<_> =
        calls.iter().filter_map(|(name, call)| Some((name, program::fault(call)?))).collect();
    assert_eq!(faults, []);
}

#[test]
fn nothing_runs_as_root_or_may_become_it() {
    let user = user();
    assert!(user >= 10_000, "{user}");
    for (name, service) in services(&compose()) {
        assert_eq!(service.get("user"), None, "{name}");
        assert_eq!(service["read_only"], true, "{name}");
        assert_eq!(service["cap_drop"], json!(["ALL"]), "{name}");
        assert_eq!(service["security_opt"], json!(["no-new-privileges:true"]), "{name}");
    }
    for (name, pod) in pods() {
        let (whole, container) = (&pod["securityContext"], &pod["containers"][0]["securityContext"]);
        assert_eq!((&whole["runAsNonRoot"], &whole["runAsUser"]), (&json!(true), &json!(user)), "{name}");
        assert_eq!(whole["seccompProfile"]["type"], "RuntimeDefault", "{name}");
        assert_eq!(container["allowPrivilegeEscalation"], false, "{name}");
        assert_eq!(container["readOnlyRootFilesystem"], true, "{name}");
        assert_eq!(container["capabilities"]["drop"], json!(["ALL"]), "{name}");
    }
    let unit = read("deploy/systemd/cutover.service");
    for line in ["User=cutover", "NoNewPrivileges=yes", "ProtectSystem=strict", "CapabilityBoundingSet="] {
        assert!(unit.lines().any(|l| l == line), "{line}");
    }
}

/// A tag is moved; a digest is the image that was tried.
#[test]
fn the_image_is_built_on_digests() {
    let file = read("deploy/Containerfile");
    let bases: Vec<&str> = file.lines().filter_map(|line| line.strip_prefix("FROM ")).collect();
    assert!(bases.len() == 2, "{bases:?}");
    for base in bases {
        let image = base.split(' ').next().unwrap();
        let digest = image.split_once("@sha256:").map(|(_, digest)| digest);
        let is_digest = |text: &str| text.len() == 64 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
        assert!(digest.is_some_and(is_digest), "{image}");
    }
}

#[test]
fn everything_is_bounded() {
    for (name, service) in compose()["services"].as_object().unwrap() {
        let limits = &service["deploy"]["resources"]["limits"];
        assert!(limits["memory"].is_string() && limits["cpus"].is_string(), "{name}");
    }
    for (name, pod) in pods() {
        let resources = &pod["containers"][0]["resources"];
        assert!(resources["limits"]["memory"].is_string(), "{name}");
        assert!(resources["requests"]["cpu"].is_string(), "{name}");
    }
}

/// The path and the kind of each endpoint of the API.
fn endpoints() -> Vec<(String, String)> {
    let files = files_below("crates/http/src/endpoint");
    let sources = files.iter().filter(|path| path.extension().is_some_and(|end| end == "rs"));
    let source: String = sources.map(read).collect();
    let rows = source.split("template: \"").skip(1).filter_map(|row| row.split_once("\",\n    kind: Kind::"));
    rows.map(|(path, rest)| (path.to_owned(), rest.split(',').next().unwrap().to_owned())).collect()
}

#[test]
fn probes_ask_where_health_is_served() {
    let endpoints = endpoints();
    let serves = |path: &str| endpoints.contains(&(path.to_owned(), "Health".to_owned()));
    let admin = setting("CUTOVER_ADMIN_LISTEN").rsplit(':').next().unwrap().to_owned();
    for deployment in objects("Deployment") {
        let container = &deployment["spec"]["template"]["spec"]["containers"][0];
        let ports = container["ports"].as_array().unwrap();
        let port = ports.iter().find(|port| port["name"] == "admin").unwrap();
        assert_eq!(port["containerPort"].to_string(), admin);
        for (probe, path) in
            [("startupProbe", "/healthz"), ("livenessProbe", "/healthz"), ("readinessProbe", "/readyz")]
        {
            let asks = &container[probe]["httpGet"];
            assert_eq!((&asks["path"], &asks["port"]), (&json!(path), &json!("admin")), "{probe}");
            assert!(serves(path), "{path}");
        }
    }
    let proxy = read("deploy/compose/Caddyfile");
    assert!(proxy.contains(&format!("health_uri /readyz\n\t\t\thealth_port {admin}\n")), "{proxy}");
    let image = read("deploy/Containerfile");
    assert!(image.contains(&format!("CUTOVER_ADMIN_LISTEN=0.0.0.0:{admin}\n")), "{image}");
}

#[test]
fn stopped_containers_have_time_to_finish() {
    let default = seconds(program::default("shutdown-timeout"));
    for (name, service) in services(&compose()).iter().filter(|(_, service)| service["command"][0] == "serve")
    {
        let grace = seconds(service["stop_grace_period"].as_str().unwrap());
        assert!(grace >= delay(&service["command"]) + default + SLACK, "{name}");
    }
    let timeout = seconds(&setting("CUTOVER_SHUTDOWN_TIMEOUT"));
    for deployment in objects("Deployment") {
        let pod = &deployment["spec"]["template"]["spec"];
        let before = delay(&pod["containers"][0]["args"]);
        let grace = pod["terminationGracePeriodSeconds"].as_u64().unwrap();
        assert!(grace >= before + timeout + SLACK, "{}", deployment["metadata"]["name"]);
    }
    let unit = read("deploy/systemd/cutover.service");
    let grace = unit.lines().find_map(|line| line.strip_prefix("TimeoutStopSec=")).unwrap();
    assert!(grace.parse::<u64>().unwrap() >= default + SLACK);
}

/// The shutdown-delay among arguments, in seconds.
fn delay(args: &Value) -> u64 {
    let args = words(args);
    let flag = args.iter().position(|arg| arg == "--shutdown-delay");
    flag.map_or(0, |flag| seconds(&args[flag + 1]))
}

/// A stopping node keeps serving until the proxy has checked it twice.
#[test]
fn the_proxy_notices_a_stop_before_it_begins() {
    let proxy = read("deploy/compose/Caddyfile");
    let setting = |name: &str| {
        let value = proxy.lines().find_map(|line| line.trim().strip_prefix(name)).unwrap();
        seconds(value.trim())
    };
    let compose = compose();
    for (name, service) in services(&compose).iter().filter(|(_, service)| service["command"][2] == "api") {
        assert!(
            delay(&service["command"]) > setting("health_interval") + setting("health_timeout"),
            "{name}"
        );
    }
}

/// The proxy forwards these paths and nothing else.
#[test]
fn the_proxy_publishes_the_api_and_nothing_else() {
    let proxy = read("deploy/compose/Caddyfile");
    let lines: Vec<&str> = proxy.lines().map(str::trim).filter(|line| !line.starts_with('#')).collect();
    let matchers: Vec<&&str> = lines.iter().filter(|line| line.starts_with('@')).collect();
    assert_eq!(matchers, [&"@api path /v1/* /v2/*"]);
    let sites = lines.iter().filter(|line| line.starts_with(':')).count();
    let handles: Vec<&&str> = lines.iter().filter(|line| line.starts_with("handle")).collect();
    assert_eq!((sites, handles), (1, vec![&"handle @api {", &"handle {"]));
    assert!(proxy.ends_with("\thandle {\n\t\trespond 404\n\t}\n}\n"), "{proxy}");
    assert_eq!(lines.iter().filter(|line| line.starts_with("reverse_proxy")).count(), 1);
    let endpoints = endpoints();
    assert!(endpoints.len() > 20, "{endpoints:?}");
    for (path, kind) in endpoints {
        let is_published = path.starts_with("/v1/") || path.starts_with("/v2/");
        assert_eq!(is_published, kind == "Api", "{path} {kind}");
    }
}

/// Operators' endpoints are at the admin addresses, which are published on this machine only.
#[test]
fn compose_publishes_nothing_beyond_its_machine() {
    let compose = compose();
    let mut published = Vec::new();
    for (name, service) in compose["services"].as_object().unwrap() {
        for port in service["ports"].as_array().into_iter().flatten() {
            let port = port.as_str().unwrap();
            assert!(port.starts_with("127.0.0.1:"), "{name} {port}");
            published.push((name.as_str(), port.rsplit(':').next().unwrap().to_owned()));
        }
    }
    published.sort();
    let expected = [("api-1", "9090"), ("proxy", "8080"), ("storage", "7070")];
    assert_eq!(published, expected.map(|(name, port)| (name, port.to_owned())));
}

#[test]
fn secrets_have_no_defaults() {
    let text = read("deploy/compose.yaml");
    let used: Vec<&str> = text.split("${").skip(1).filter_map(|rest| rest.split('}').next()).collect();
    let optional: Vec<_> = used.iter().filter(|variable| !variable.contains(":?")).collect();
    assert_eq!(optional, [&""; 0]);
    let example = read("deploy/.env.example");
    let names: Vec<_> = example.lines().filter(|line| !line.starts_with('#') && !line.is_empty()).collect();
    assert!(names.iter().all(|line| line.ends_with('=')), "{names:?}");
    for variable in used.iter().map(|variable| variable.split(':').next().unwrap()) {
        assert!(names.contains(&format!("{variable}=").as_str()), "{variable} is not in .env.example");
    }
}

/// Settings and secrets have names that end in a hash of their content, so that pods roll when one changes. A secret's file
/// is the operator's own, and never part of the repository.
#[test]
fn pods_read_what_is_generated() {
    let ignored = read(".gitignore");
    for (folder, secret) in [("migrate", "cutover-owner"), ("service", "cutover-secrets")] {
        let folder = std::path::Path::new("deploy/kubernetes").join(folder);
        let whole = documents(folder.join("kustomization.yaml")).remove(0);
        let settings = folder.join("../settings");
        assert!(words(&whole["components"]).contains(&"../settings".to_owned()), "{secret}");
        let generated = &documents(settings.join("kustomization.yaml")).remove(0)["configMapGenerator"][0];
        assert_eq!(generated["name"], "cutover-settings");
        assert_eq!(words(&generated["envs"]), ["settings.env"]);
        assert_eq!(whole["secretGenerator"][0]["name"], secret);
        let [file] = words(&whole["secretGenerator"][0]["envs"]).try_into().unwrap();
        let file = folder.join(file);
        let example = read(format!("{}.example", file.display()));
        assert!(example.lines().any(|line| line.starts_with("CUTOVER_DATABASE_URL=")), "{example}");
        assert!(ignored.lines().any(|line| line == format!("/{}", file.display())), "{}", file.display());
        for resource in words(&whole["resources"]) {
            for pod in documents(folder.join(resource))
                .iter()
                .filter(|object| object["spec"]["template"].is_object())
            {
                let from = &pod["spec"]["template"]["spec"]["containers"][0]["envFrom"];
                assert_eq!(
                    from,
                    &json!([{"configMapRef": {"name": "cutover-settings"}}, {"secretRef": {"name": secret}}])
                );
            }
        }
    }
}

/// The Prometheus operator scrapes every pod that serves metrics, as the job that the rules ask for.
#[test]
fn the_operator_scrapes_the_pods_as_the_job_of_the_rules() {
    let monitor = objects("PodMonitor").remove(0);
    let label = monitor["spec"]["jobLabel"].as_str().unwrap();
    let endpoint = &monitor["spec"]["podMetricsEndpoints"][0];
    assert_eq!(endpoint["path"], "/metrics");
    let components = &monitor["spec"]["selector"]["matchExpressions"][0];
    for deployment in objects("Deployment") {
        let template = &deployment["spec"]["template"];
        let labels = &template["metadata"]["labels"];
        let component = &labels[components["key"].as_str().unwrap()];
        assert!(components["values"].as_array().unwrap().contains(component), "{component}");
        assert_eq!(monitor["spec"]["selector"]["matchLabels"][label], labels[label]);
        let ports = template["spec"]["containers"][0]["ports"].as_array().unwrap();
        assert!(ports.iter().any(|port| port["name"] == endpoint["port"]), "{component}");
        let job = format!("job=\"{}\"", labels[label].as_str().unwrap());
        assert!(read(RULES).contains(&job), "{job}");
    }
    let rules = objects("PrometheusRule").remove(0);
    let given: Value = documents(RULES).remove(0);
    assert_eq!(rules["spec"]["groups"], given["groups"]);
}

#[test]
fn scalers_scale_deployments_that_there_are() {
    for scaler in objects("ScaledObject") {
        let target = &scaler["spec"]["scaleTargetRef"]["name"];
        assert!(objects("Deployment").iter().any(|deployment| &deployment["metadata"]["name"] == target));
    }
}

#[test]
fn only_the_autoscaler_sets_the_number_of_replicas() {
    for scaler in objects("HorizontalPodAutoscaler") {
        let target = &scaler["spec"]["scaleTargetRef"]["name"];
        let deployments = objects("Deployment");
        let scaled = deployments.iter().find(|deployment| &deployment["metadata"]["name"] == target).unwrap();
        assert_eq!(scaled["spec"].get("replicas"), None, "{target}");
        assert!(scaler["spec"]["minReplicas"].as_u64() >= Some(2), "{target}");
    }
}
