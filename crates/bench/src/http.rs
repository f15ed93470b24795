use crate::Args;
use crate::error::Error;
use crate::figure::{Figure, Unit};
use crate::server::Installation;
use crate::stats::ratios;
use serde_json::Value;

/// Name of Cutover in the kit's results.
const OURS: &str = "cutover";

/// A server of the kit to compare with.
struct Peer {
    option: &'static str,
    name: &'static str,
    id: &'static str,
    what: &'static str,
    goal: f64,
}

const PEERS: [Peer; 4] = [
    Peer {
        option: "full",
        name: "limit: full",
        id: "of_full",
        what: "… as a multiple of the limit `full`",
        goal: 2.0,
    },
    Peer { option: "ajv", name: "Fastify + ajv", id: "of_ajv", what: "… of Fastify with ajv", goal: 5.4 },
    Peer {
        option: "fastapi_raw",
        name: "FastAPI raw body",
        id: "of_fastapi_raw",
        what: "… of FastAPI with pydantic on the raw body",
        goal: 7.5,
    },
    Peer {
        option: "drf",
        name: "DRF, gunicorn",
        id: "of_drf",
        what: "… of Django REST framework",
        goal: 165.0,
    },
];

/// The validate endpoint next to the peers' servers, one worker on one core each, measured by the kit.
pub(crate) fn compare(args: &Args) -> Result<Vec<Figure>, Error> {
    let kit = args.kit()?;
    let installation = Installation::new(args, "bench-http")?;
    let server = installation.serve(true, &["--role", "api", "--http-workers", "1"])?;
    let token = installation.token(&server)?;
    let target = format!("{OURS}=http://{}/v2/data-import/accounts/validate/", server.address);
    let (pid, header) = (server.pid().to_string(), format!("Authorization: Token {token}"));
    let (peers, rounds) = (PEERS.map(|peer| peer.option).join(","), args.rounds.to_string());
    let mut command = vec!["http", "--target", &target, "--pid", &pid, "--header", &header];
    command.extend(["--only", &peers, "--files", "M,M20", "--rounds", &rounds]);
    figures(&Results(kit.measure("http", &command)?))
}

#[expect(clippy::float_arithmetic, reason = "figures of a bench, not money")]
fn figures(results: &Results) -> Result<Vec<Figure>, Error> {
    let ours = results.a_cpu_second("M", OURS)?;
    let mut figures = vec![Figure::new(
        "http.validate.M",
        "`POST …/validate/`, M (18 KB), answers",
        Unit::PerCpuSecond,
        &ours,
    )];
    for peer in &PEERS {
        let theirs = results.a_cpu_second("M", peer.name)?;
        let id = format!("http.validate.M.{}", peer.id);
        figures.push(Figure::new(id, peer.what, Unit::Ratio, &ratios(&ours, &theirs)).at_least(peer.goal));
    }
    let faulty = ratios(&results.a_cpu_second("M20", OURS)?, &ours);
    let what = "… with a fifth of faulty ones, as a multiple of the rate with none";
    figures.push(Figure::new("http.validate.M20.of_M", what, Unit::Ratio, &faulty).at_least(0.85));
    let p99 = results.rounds("M", OURS, |round| Some(round["p99_us"].as_f64()? / 1e3))?;
    figures.push(Figure::new("http.validate.M.p99", "… its p99, 8 connections", Unit::Milliseconds, &p99));
    Ok(figures)
}

/// Results of the kit: by file and server, round by round.
struct Results(Value);

impl Results {
    fn a_cpu_second(&self, file: &str, server: &str) -> Result<Vec<f64>, Error> {
        self.rounds(file, server, |round| round["cpu"].as_f64())
    }

    /// A figure of each round. A server that fails or refuses valid payloads has none.
    fn rounds(
        &self,
        file: &str,
        server: &str,
        figure: impl Fn(&Value) -> Option<f64>,
    ) -> Result<Vec<f64>, Error> {
        let failed = |what: &str| Error::Bench(format!("the kit's result of {server} on {file} {what}"));
        let rounds = self.0["results"][file][server].as_array().filter(|rounds| !rounds.is_empty());
        let rounds = rounds.ok_or_else(|| failed("is missing"))?;
        let is_wrong =
            |round: &Value| round["other"] != 0 || round["err"] != 0 || (file == "M" && round["s400"] != 0);
        if rounds.iter().any(is_wrong) {
            return Err(failed("has answers that are not those of a validation"));
        }
        rounds.iter().map(|round| figure(round).ok_or_else(|| failed("has no figure"))).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn results(valid: &Value) -> Results {
        let round = |cpu: f64| json!({"cpu": cpu, "p99_us": 1500, "ok": 9, "s400": 0, "other": 0, "err": 0});
        let faulty = json!({"cpu": 9000.0, "p99_us": 1, "ok": 4, "s400": 1, "other": 0, "err": 0});
        let mut of_m = serde_json::Map::from_iter([(OURS.to_owned(), json!([valid, round(10_000.0)]))]);
        of_m.extend(PEERS.map(|peer| (peer.name.to_owned(), json!([round(5_000.0), round(5_000.0)]))));
        Results(json!({"results": {"M": of_m, "M20": {OURS: [faulty, faulty]}}}))
    }

    #[test]
    fn ratios_are_computed_from_the_results_of_the_kit() {
        let valid = json!({"cpu": 10_000.0, "p99_us": 500, "ok": 9, "s400": 0, "other": 0, "err": 0});
        let figures = figures(&results(&valid)).unwrap();
        let found: Vec<_> = figures.iter().map(|f| (f.id.as_str(), f.measured.median, f.verdict())).collect();
        assert_eq!(found[0], ("http.validate.M", 10_000.0, ""));
        assert_eq!(found[1], ("http.validate.M.of_full", 2.0, "met"));
        assert_eq!(found[2], ("http.validate.M.of_ajv", 2.0, "NOT MET"));
        assert_eq!(found[5], ("http.validate.M20.of_M", 0.9, "met"));
        assert_eq!(found[6], ("http.validate.M.p99", 1.5, ""));
    }

    #[test]
    fn a_server_that_refuses_valid_payloads_has_no_figure() {
        let refused = json!({"cpu": 1.0, "p99_us": 500, "ok": 9, "s400": 1, "other": 0, "err": 0});
        assert!(figures(&results(&refused)).unwrap_err().to_string().contains("not those of a validation"));
        let missing = Results(json!({"results": {"M": {}}}));
        assert!(figures(&missing).unwrap_err().to_string().contains("is missing"));
    }
}
