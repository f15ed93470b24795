use super::fault::Fault;
use reqwest::header::{HeaderMap, LINK};
use reqwest::{Response, StatusCode};
use serde_json::Value;

/// Maximum size of an answer that is read in one piece: more than the largest page of a list.
const MAX_SIZE: usize = 64 * 1024 * 1024;

/// A JSON answer.
#[derive(Debug, Clone)]
pub(crate) struct Reply {
    pub(crate) status: StatusCode,
    /// Query of the next page of a list.
    pub(crate) next: Option<String>,
    pub(crate) body: Value,
}

impl Reply {
    /// Reads an answer to its end.
    ///
    /// # Errors
    /// [`Fault`]; it is permanent if the answer is not JSON, because then it does not come from Cutover.
    pub(crate) async fn read(response: Response) -> Result<Self, Fault> {
        Self::read_up_to(MAX_SIZE, response).await
    }

    /// Reads an answer of at most this many bytes.
    ///
    /// # Errors
    /// Same as [`Self::read`], and if it is larger.
    pub(crate) async fn read_up_to(most: usize, response: Response) -> Result<Self, Fault> {
        let (status, next) = (response.status(), next(response.headers()));
        let bytes = bytes(most, response).await?;
        let body = serde_json::from_slice(&bytes).map_err(|_| not_cutover(status))?;
        Ok(Self { status, next, body })
    }

    /// Returns the body of a 200.
    ///
    /// # Errors
    /// A permanent [`Fault`] with the detail of any other answer.
    pub(crate) fn ok(self) -> Result<Value, Fault> {
        match self.status {
            StatusCode::OK => Ok(self.body),
            status => {
                let said = self.body["detail"].as_str().unwrap_or("no reason given");
                Err(Fault::permanent(format!("the service answers {}: {said}", status.as_u16())))
            }
        }
    }
}

/// Fault of an answer that does not come from Cutover.
pub(crate) fn not_cutover(status: StatusCode) -> Fault {
    let status = status.as_u16();
    Fault::permanent(format!("there is no Cutover at the base URL: it answers {status} with something else"))
}

async fn bytes(most: usize, mut response: Response) -> Result<Vec<u8>, Fault> {
    let mut bytes = Vec::new();
    while let Some(chunk) = response.chunk().await? {
        bytes.extend_from_slice(&chunk);
        if bytes.len() > most {
            return Err(Fault::permanent("the answer of the service is too large"));
        }
    }
    Ok(bytes)
}

/// Extracts the query from `Link: <path?query>; rel="next"`.
fn next(headers: &HeaderMap) -> Option<String> {
    let link = headers.get(LINK)?.to_str().ok()?;
    let (address, rel) = link.strip_prefix('<')?.split_once('>')?;
    let query = address.split_once('?')?.1;
    rel.contains("rel=\"next\"").then(|| query.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_next_page_is_a_query() {
        let next = |link: &str| {
            let headers = HeaderMap::from_iter([(LINK, link.parse().unwrap())]);
            super::next(&headers)
        };
        assert_eq!(next("</v2/x/?page_size=2&cursor=a>; rel=\"next\"").unwrap(), "page_size=2&cursor=a");
        assert_eq!(next("</v2/x/?cursor=a>; rel=\"prev\""), None);
        assert_eq!(next("nonsense"), None);
    }
}
