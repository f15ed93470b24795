use super::Args;
use super::server::Installation;
use crate::error::Error;

/// The validate endpoint beside the peers' servers, one worker on one core each: the kit measures.
pub(super) fn compare(args: &Args) -> Result<(), Error> {
    let kit = args.kit()?;
    let installation = Installation::new(args, "bench-http")?;
    let server = installation.serve(true, &["--role", "api", "--http-workers", "1"])?;
    let token = installation.token(&server)?;
    let target = format!("cutover=http://{}/v2/data-import/accounts/validate/", server.address);
    let (pid, header) = (server.pid().to_string(), format!("Authorization: Token {token}"));
    println!(
        "\nPOST …/validate/ (goals on M: at least 1.3 times `full`, 3.5 times Fastify + ajv, 5 times FastAPI raw body)"
    );
    kit.run([
        "http",
        "--target",
        &target,
        "--pid",
        &pid,
        "--header",
        &header,
        "--only",
        "fastapi_raw,ajv,full",
        "--files",
        "M,M20",
        "--rounds",
        &args.rounds.to_string(),
    ])
}
