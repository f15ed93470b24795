use super::seed;
use super::site::Site;
use crate::bench::Args;
use crate::bench::figure::Figure;
use crate::bench::progress::{FEW, MANY, Times, figures};
use crate::bench::server::{Installation, SUPPLIER};
use crate::error::Error;

/// How far a supplier has come that has few processes and one that has many, in turn.
pub(in crate::bench) fn compare(args: &Args) -> Result<Vec<Figure>, Error> {
    let (site, many) = (Site::start(&[])?, args.count(MANY));
    let installation = |name: &str, count| {
        site.create(name)?;
        let installation = Installation::on(args, &format!("bench-pg-progress-{name}"), site.url(name))?;
        seed::mixed(&site, name, SUPPLIER, count)?;
        Ok::<_, Error>(installation)
    };
    let all = [installation("few", FEW)?, installation("many", many)?];
    let mut times = [Times::default(), Times::default()];
    for _ in 0..args.rounds {
        all.iter().zip(&mut times).try_for_each(|(installation, times)| times.add(installation))?;
    }
    Ok(figures("progress.pg", many, &times))
}
