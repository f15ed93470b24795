//! `docs/schema/`: JSON Schema of the body of each request, from the declarations that decode it.

use cutover_model::describe::{REQUESTS, request_schema};

/// Returns the schema of a request by its name.
pub(super) fn of(name: &str) -> String {
    let request = REQUESTS.iter().find(|request| request.name == name);
    request.map(|request| request_schema(request).pretty()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::super::REFERENCES;
    use super::*;

    #[test]
    fn every_request_has_its_file() {
        for request in REQUESTS {
            let path = format!("docs/schema/{}.schema.json", request.name);
            let reference = REFERENCES.iter().find(|reference| reference.path == path);
            assert_eq!((reference.unwrap().render)().unwrap(), of(request.name), "{path}");
            assert!(of(request.name).contains("\"$schema\""), "{path}");
        }
    }
}
