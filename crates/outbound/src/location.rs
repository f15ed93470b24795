use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;
use url::Url;

/// Location of the documents (contract D10, D11).
///
/// | URL | location |
/// |---|---|
/// | `file:///DIR` | a local folder, percent-decoded as URLs are |
/// | `s3://BUCKET[/PREFIX]` | a bucket of S3 or a compatible service (feature `s3`) |
/// | `gs://BUCKET[/PREFIX]` | a bucket of Google Cloud Storage (feature `gcs`) |
/// | `az://CONTAINER[/PREFIX]` | a container of Azure Blob Storage (feature `azure`) |
///
/// A prefix consists of plain segments; nothing is percent-decoded. It holds no credentials and endpoints:
/// [`ObjectDocuments::open`](crate::ObjectDocuments::open) reads these from the environment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Location(pub(crate) LocationKind);

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum LocationKind {
    Folder(PathBuf),
    Bucket(BucketLocation),
}

/// A bucket and the prefix of all document keys.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct BucketLocation {
    pub(crate) cloud: Cloud,
    pub(crate) bucket: String,
    /// Plain segments without surrounding slashes; often empty.
    pub(crate) prefix: String,
}

/// Provider of the object storage.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Cloud {
    S3,
    Gcs,
    Azure,
}

impl Cloud {
    fn of_scheme(scheme: &str) -> Option<Self> {
        [Self::S3, Self::Gcs, Self::Azure].into_iter().find(|cloud| cloud.scheme() == scheme)
    }

    fn scheme(self) -> &'static str {
        match self {
            Self::S3 => "s3",
            Self::Gcs => "gs",
            Self::Azure => "az",
        }
    }

    /// Feature of this crate for this provider, and whether this build has it.
    fn feature(self) -> (&'static str, bool) {
        match self {
            Self::S3 => ("s3", cfg!(feature = "s3")),
            Self::Gcs => ("gcs", cfg!(feature = "gcs")),
            Self::Azure => ("azure", cfg!(feature = "azure")),
        }
    }
}

/// Reason why a URL is not a usable document location.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum InvalidLocation {
    /// It is not a URL.
    #[error("it is not a URL such as file:///srv/documents or s3://bucket/prefix")]
    NoUrl,
    /// It is a URL with another scheme.
    #[error("{0}: is not storage; use file:///DIR, s3://BUCKET, gs://BUCKET or az://CONTAINER")]
    NoStorage(String),
    /// This build lacks the feature for its scheme.
    #[error("{scheme}: storage needs the feature {feature}, which this build lacks")]
    NotInThisBuild {
        /// Scheme of the URL.
        scheme: &'static str,
        /// Missing feature.
        feature: &'static str,
    },
    /// It is a file URL that does not name a local folder.
    #[error("the file URL does not name a local folder such as file:///srv/documents")]
    NoFolder,
    /// It names no bucket, or more than a bucket and a plain prefix.
    #[error("it is not {0}://BUCKET or {0}://BUCKET/PREFIX with a plain name and segments without escapes")]
    NoBucket(&'static str),
}

impl Location {
    /// A local folder.
    pub fn folder(path: impl Into<PathBuf>) -> Self {
        Self(LocationKind::Folder(path.into()))
    }
}

impl FromStr for Location {
    type Err = InvalidLocation;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let url = Url::parse(text).map_err(|_| InvalidLocation::NoUrl)?;
        match Cloud::of_scheme(url.scheme()) {
            Some(cloud) => bucket(cloud, text),
            None if url.scheme() == "file" => folder(&url, text),
            None => Err(InvalidLocation::NoStorage(url.scheme().to_owned())),
        }
    }
}

fn folder(url: &Url, text: &str) -> Result<Location, InvalidLocation> {
    if url.query().is_some() || url.fragment().is_some() || !text.starts_with("file:///") {
        return Err(InvalidLocation::NoFolder);
    }
    url.to_file_path().map(Location::folder).map_err(|()| InvalidLocation::NoFolder)
}

/// Parses the text itself, because a URL parser would escape and normalize it.
fn bucket(cloud: Cloud, text: &str) -> Result<Location, InvalidLocation> {
    let scheme = cloud.scheme();
    let refused = || InvalidLocation::NoBucket(scheme);
    if let (feature, false) = cloud.feature() {
        return Err(InvalidLocation::NotInThisBuild { scheme, feature });
    }
    let rest = text.strip_prefix(scheme).and_then(|t| t.strip_prefix("://")).ok_or_else(refused)?;
    let (bucket, prefix) = rest.split_once('/').unwrap_or((rest, ""));
    let prefix = prefix.strip_suffix('/').unwrap_or(prefix);
    let of_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_');
    let is_name = !bucket.is_empty() && bucket.chars().all(of_name);
    let is_plain = prefix.is_empty() || (is_safe(prefix) && !prefix.contains(['%', '?', '#']));
    if !is_name || !is_plain {
        return Err(refused());
    }
    let location = BucketLocation { cloud, bucket: bucket.to_owned(), prefix: prefix.to_owned() };
    Ok(Location(LocationKind::Bucket(location)))
}

/// True if a relative path names the same object under a folder or prefix however it is decoded, and never
/// one outside.
pub(crate) fn is_safe(path: &str) -> bool {
    let lower = path.to_ascii_lowercase();
    let has_drive = matches!(path.as_bytes(), [letter, b':', ..] if letter.is_ascii_alphabetic());
    !has_drive
        && !path.contains(|c: char| c.is_ascii_control() || c == '\\')
        && !["://", "%2f", "%5c"].iter().any(|odd| lower.contains(odd))
        && lower.split('/').all(|segment| !matches!(segment.replace("%2e", ".").as_str(), "" | "." | ".."))
}

impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            LocationKind::Folder(folder) => match Url::from_directory_path(folder) {
                Ok(url) => f.write_str(url.as_str()),
                Err(()) => write!(f, "{}", folder.display()),
            },
            LocationKind::Bucket(location) => location.fmt(f),
        }
    }
}

impl fmt::Display for BucketLocation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let slash = if self.prefix.is_empty() { "" } else { "/" };
        write!(f, "{}://{}{slash}{}", self.cloud.scheme(), self.bucket, self.prefix)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(text: &str) -> InvalidLocation {
        text.parse::<Location>().unwrap_err()
    }

    #[test]
    fn unusual_names_are_safe() {
        for path in [
            "a.pdf",
            "a/b c/d.pdf",
            "50%.pdf",
            "%41",
            "a#b?c=d&e",
            "ä/日本.pdf",
            "...",
            "a..",
            ".a",
            "%2e%2e.",
        ] {
            assert!(is_safe(path), "{path}");
        }
    }

    #[test]
    fn paths_that_could_leave_the_root_are_unsafe() {
        let out = ["..", "../a", "a/../b", "a/..", ".", "a/./b", "%2e%2e/a", "a/%2E./b", "a/.%2e", "%2E"];
        let odd = ["", "/", "/a", "a/", "a//b", "a\\b", "..\\a", "a\0b", "a\nb", "a\u{7f}", "c:a", "C:/a"];
        let escaped = ["file:///a", "a%2fb", "..%2F..", "a%5Cb", "s3://b"];
        for path in out.iter().chain(&odd).chain(&escaped) {
            assert!(!is_safe(path), "{path:?}");
        }
    }

    #[test]
    fn file_urls_are_folders() {
        let location: Location = "file:///srv/my%20documents/".parse().unwrap();
        assert_eq!(location, Location::folder("/srv/my documents/"));
        assert_eq!(location.to_string(), "file:///srv/my%20documents/");
    }

    #[test]
    fn other_texts_are_refused_with_a_reason() {
        assert_eq!(refused("/srv/documents"), InvalidLocation::NoUrl);
        assert_eq!(refused(""), InvalidLocation::NoUrl);
        assert_eq!(refused("https://bucket/a"), InvalidLocation::NoStorage("https".into()));
        for url in ["file://host/srv", "file:srv", "file:///srv?a=b", "file:///srv#a"] {
            assert_eq!(refused(url), InvalidLocation::NoFolder, "{url}");
        }
    }

    #[cfg(feature = "s3")]
    #[test]
    fn bucket_urls_name_a_bucket_and_a_plain_prefix() {
        let location = |text: &str| match text.parse::<Location>().unwrap().0 {
            LocationKind::Bucket(location) => {
                (location.bucket.clone(), location.prefix.clone(), location.to_string())
            }
            LocationKind::Folder(folder) => panic!("{folder:?}"),
        };
        let of = |bucket: &str, prefix: &str, text: &str| (bucket.into(), prefix.into(), text.into());
        assert_eq!(location("s3://my.bucket-1"), of("my.bucket-1", "", "s3://my.bucket-1"));
        assert_eq!(location("s3://b/"), of("b", "", "s3://b"));
        assert_eq!(location("s3://b/live docs/ä/"), of("b", "live docs/ä", "s3://b/live docs/ä"));
    }

    #[cfg(feature = "s3")]
    #[test]
    fn other_bucket_urls_are_refused_without_repeating_secrets() {
        let texts = ["s3:b", "s3://", "s3:///a", "s3://b//a", "s3://b/a//", "s3://b/../c", "s3://b/%2e%2E/c"];
        let more = ["s3://key:secret@b", "s3://b:80/a", "s3://b?a=secret", "s3://b/a?secret", "s3://b/a%20b"];
        for text in texts.into_iter().chain(more) {
            assert_eq!(refused(text), InvalidLocation::NoBucket("s3"), "{text}");
            assert!(!refused(text).to_string().contains("secret"), "{text}");
        }
    }

    #[test]
    fn storage_that_this_build_lacks_is_refused_with_its_feature() {
        for (cloud, url) in [(Cloud::S3, "s3://b"), (Cloud::Gcs, "gs://b"), (Cloud::Azure, "az://b")] {
            let (feature, there) = cloud.feature();
            match url.parse::<Location>() {
                Ok(location) => assert!(there && location.to_string() == url, "{url}"),
                Err(error) => {
                    assert!(!there, "{url}");
                    let text = format!(
                        "{}: storage needs the feature {feature}, which this build lacks",
                        cloud.scheme()
                    );
                    assert_eq!(error.to_string(), text);
                }
            }
        }
    }
}
