use super::{Backoff, Fault, Service};
use crate::error::Error;
use reqwest::StatusCode;
use serde::de::DeserializeOwned;
use std::time::Duration;

impl Service {
    /// Calls `each` with every item of a list, page after page, while `goes_on` returns true. Waits for `patience` while
    /// the service is away. Returns false if there is no such list.
    ///
    /// # Errors
    /// The error of `each`, or [`Error`] if the service does not answer.
    pub(crate) async fn pages<T: DeserializeOwned>(
        &self,
        path: &[&str],
        query: String,
        patience: Duration,
        goes_on: impl Fn() -> bool,
        mut each: impl AsyncFnMut(T) -> Result<(), Error>,
    ) -> Result<bool, Error> {
        let mut query = Some(query);
        while let Some(asked) = query.filter(|_| goes_on()) {
            let url = self.url(path, &asked);
            let mut reply = Backoff::new(patience).run(async || self.get(&url).await).await?;
            if reply.status == StatusCode::NOT_FOUND {
                return Ok(false);
            }
            // The feed always has a next page: at its end the same one.
            query = reply.next.take().filter(|next| *next != asked);
            let foreign = |_| Fault::permanent("a list of the service has an unknown format");
            for item in serde_json::from_value::<Vec<T>>(reply.ok()?).map_err(foreign)? {
                each(item).await?;
            }
        }
        Ok(true)
    }
}
