//! Static files of the console: the style sheet, the script and the library that draws charts. Each name
//! contains a digest of the content, so that browsers may cache it forever.

use crate::call::{Answer, Call};
use crate::refusal::Refusal;
use actix_web::HttpResponse;
use actix_web::http::header::{CACHE_CONTROL, CONTENT_TYPE, X_CONTENT_TYPE_OPTIONS};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::OnceLock;

/// The folder of the files.
const FOLDER: &str = "/console/assets/";

/// A file embedded in the program.
struct File {
    name: &'static str,
    ending: &'static str,
    media: &'static str,
    text: &'static str,
}

const STYLE: File = File {
    name: "console",
    ending: "css",
    media: "text/css; charset=utf-8",
    text: include_str!("../../assets/console.css"),
};
const SCRIPT: File = File {
    name: "console",
    ending: "js",
    media: "text/javascript; charset=utf-8",
    text: include_str!("../../assets/console.js"),
};
const ICON: File =
    File { name: "icon", ending: "svg", media: "image/svg+xml", text: include_str!("../../assets/icon.svg") };
const CHART_STYLE: File = File {
    name: "uplot",
    ending: "css",
    media: "text/css; charset=utf-8",
    text: include_str!("../../assets/uplot/uPlot.min.css"),
};
const CHART_SCRIPT: File = File {
    name: "uplot",
    ending: "js",
    media: "text/javascript; charset=utf-8",
    text: include_str!("../../assets/uplot/uPlot.iife.min.js"),
};
const LICENCES: File = File {
    name: "licences",
    ending: "txt",
    media: "text/plain; charset=utf-8",
    text: include_str!("../../assets/uplot/LICENSE"),
};

/// The path of each file.
pub(super) struct Assets {
    pub(super) style: String,
    pub(super) script: String,
    pub(super) icon: String,
    pub(super) chart_style: String,
    pub(super) chart_script: String,
    pub(super) licences: String,
}

/// Returns the path of each file, computed once.
pub(super) fn assets() -> &'static Assets {
    static ASSETS: OnceLock<Assets> = OnceLock::new();
    ASSETS.get_or_init(|| Assets {
        style: STYLE.path(),
        script: SCRIPT.path(),
        icon: ICON.path(),
        chart_style: CHART_STYLE.path(),
        chart_script: CHART_SCRIPT.path(),
        licences: LICENCES.path(),
    })
}

impl File {
    fn path(&self) -> String {
        let mut hasher = DefaultHasher::new();
        self.text.hash(&mut hasher);
        format!("{FOLDER}{}-{:016x}.{}", self.name, hasher.finish(), self.ending)
    }
}

/// `GET /console/assets/<file>`: public and cacheable forever.
pub(crate) fn handle(call: &mut Call) -> Answer<'_> {
    Box::pin(async move {
        let path = format!("{FOLDER}{}", call.parameter(0));
        let files = [STYLE, SCRIPT, ICON, CHART_STYLE, CHART_SCRIPT, LICENCES];
        let file = files.into_iter().find(|file| file.path() == path).ok_or(Refusal::NotFound)?;
        let mut response = HttpResponse::Ok();
        response.insert_header((CONTENT_TYPE, file.media));
        response.insert_header((X_CONTENT_TYPE_OPTIONS, "nosniff"));
        response.insert_header((CACHE_CONTROL, "public, max-age=31536000, immutable"));
        Ok(response.body(file.text))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::TestService;
    use actix_web::test::TestRequest;

    #[actix_web::test]
    async fn files_are_kept_for_good_under_names_of_their_content() {
        let (service, assets) = (TestService::new(), assets());
        for (path, media) in [
            (&assets.style, "text/css; charset=utf-8"),
            (&assets.script, "text/javascript; charset=utf-8"),
            (&assets.icon, "image/svg+xml"),
            (&assets.chart_style, "text/css; charset=utf-8"),
            (&assets.chart_script, "text/javascript; charset=utf-8"),
            (&assets.licences, "text/plain; charset=utf-8"),
        ] {
            let reply = service.send(TestRequest::get().uri(path)).await;
            assert_eq!((reply.status, reply.header("content-type")), (200, media));
            assert_eq!(reply.header("cache-control"), "public, max-age=31536000, immutable");
            assert_eq!(reply.header("x-content-type-options"), "nosniff");
        }
        for path in ["/console/assets/console.css", "/console/assets/console-0000000000000000.css"] {
            assert_eq!(service.send(TestRequest::get().uri(path)).await.status, 404, "{path}");
        }
    }

    #[test]
    fn no_file_asks_another_host_for_anything() {
        for file in [STYLE, SCRIPT, ICON, CHART_STYLE, CHART_SCRIPT] {
            let text =
                file.text.replace("https://github.com/leeoniya/uPlot", "").replace("http://www.w3.org/", "");
            assert!(
                !text.contains("http") && !text.contains("//fonts") && !text.contains("@import"),
                "{}",
                file.name
            );
        }
    }
}
