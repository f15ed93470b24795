use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use url::Url;

/// Where documents lie (decisions D10, D11): a local folder, written `file:///DIR`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Location {
    folder: PathBuf,
}

/// Why a URL names no object storage that this build can use.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum InvalidLocation {
    /// It is no URL.
    #[error("it is no URL such as file:///srv/documents")]
    NoUrl,
    /// It is a URL of storage that this build does not have.
    #[error("{0}: storage is not in this build, which has file:///DIR")]
    NotInThisBuild(String),
    /// It is a file URL, but of no local folder.
    #[error("a file URL names a local folder, such as file:///srv/documents")]
    NoFolder,
}

impl Location {
    /// A local folder.
    pub fn folder(path: impl Into<PathBuf>) -> Self {
        Self { folder: path.into() }
    }

    /// The local folder.
    pub fn as_folder(&self) -> &Path {
        &self.folder
    }
}

impl FromStr for Location {
    type Err = InvalidLocation;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let url = Url::parse(text).map_err(|_| InvalidLocation::NoUrl)?;
        if url.scheme() != "file" {
            return Err(InvalidLocation::NotInThisBuild(url.scheme().to_owned()));
        }
        if url.query().is_some() || url.fragment().is_some() || !text.starts_with("file:///") {
            return Err(InvalidLocation::NoFolder);
        }
        url.to_file_path().map(Self::folder).map_err(|()| InvalidLocation::NoFolder)
    }
}

impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match Url::from_directory_path(&self.folder) {
            Ok(url) => f.write_str(url.as_str()),
            Err(()) => write!(f, "{}", self.folder.display()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn file_urls_name_folders() {
        let location: Location = "file:///srv/my%20documents/".parse().unwrap();
        assert_eq!(location.as_folder(), Path::new("/srv/my documents/"));
        assert_eq!(location.to_string(), "file:///srv/my%20documents/");
    }

    #[test]
    fn other_texts_are_refused_with_their_cause() {
        let refused = |text: &str| text.parse::<Location>().unwrap_err();
        assert_eq!(refused("/srv/documents"), InvalidLocation::NoUrl);
        assert_eq!(refused(""), InvalidLocation::NoUrl);
        assert_eq!(
            refused("s3://bucket/a").to_string(),
            "s3: storage is not in this build, which has file:///DIR"
        );
        for url in ["file://host/srv", "file:srv", "file:///srv?a=b", "file:///srv#a"] {
            assert_eq!(refused(url), InvalidLocation::NoFolder, "{url}");
        }
    }
}
