//! The description as an HTML page: one document without scripts, generated once.

use cutover_model::describe::Json;

pub(super) const STYLE: &str = include_str!("page.css");

/// Returns the page of a description.
pub(super) fn page(description: &Json) -> String {
    let title = text(description.get("info").and_then(|info| info.get("title")));
    let mut html = Html(String::with_capacity(1 << 18));
    html.raw("<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n");
    html.raw("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n");
    html.element("title", title);
    html.raw("<style>").raw(STYLE).raw("</style>\n");
    contents(&mut html, title, description);
    html.raw("<main>\n");
    html.paragraphs(text(description.get("info").and_then(|info| info.get("description"))));
    html.raw("<p>For programs: <a href=\"/openapi.json\">openapi.json</a>.</p>\n");
    for tag in items(description.get("tags")) {
        group(&mut html, description, tag);
    }
    html.raw("<h2 id=\"schemas\">Schemas</h2>\n");
    for (name, schema) in members(at(description, &["components", "schemas"])) {
        schema_section(&mut html, name, schema);
    }
    html.raw("</main>\n</html>\n");
    html.0
}

/// Writes HTML; text is escaped unless it is raw.
pub(super) struct Html(pub(super) String);

impl Html {
    pub(super) fn raw(&mut self, html: &str) -> &mut Self {
        self.0.push_str(html);
        self
    }

    pub(super) fn text(&mut self, text: &str) -> &mut Self {
        for letter in text.chars() {
            match letter {
                '&' => self.0.push_str("&amp;"),
                '<' => self.0.push_str("&lt;"),
                '>' => self.0.push_str("&gt;"),
                '"' => self.0.push_str("&quot;"),
                _ => self.0.push(letter),
            }
        }
        self
    }

    pub(super) fn element(&mut self, name: &str, text: &str) -> &mut Self {
        self.raw(&format!("<{name}>")).text(text).raw(&format!("</{name}>\n"))
    }

    /// Writes text, with code between backquotes.
    pub(super) fn prose(&mut self, text: &str) -> &mut Self {
        for (i, part) in text.split('`').enumerate() {
            match i % 2 {
                0 => self.text(part),
                _ => self.raw("<code>").text(part).raw("</code>"),
            };
        }
        self
    }

    fn paragraphs(&mut self, text: &str) {
        for paragraph in text.split("\n\n").filter(|paragraph| !paragraph.is_empty()) {
            self.raw("<p>").prose(paragraph).raw("</p>\n");
        }
    }

    fn link(&mut self, id: &str, text: &str) -> &mut Self {
        self.raw("<a href=\"#").text(id).raw("\">").text(text).raw("</a>")
    }

    /// Writes a long value that the reader can expand.
    fn example(&mut self, name: &str, value: &Json) {
        self.raw("<details><summary>").text(name).raw("</summary><pre tabindex=\"0\">");
        self.text(value.pretty().trim_end()).raw("</pre></details>\n");
    }
}

fn contents(html: &mut Html, title: &str, description: &Json) {
    html.raw("<nav aria-label=\"Contents\">\n<h1>").text(title).raw("</h1>\n<ul>\n");
    for (_, _, operation) in operations(description) {
        html.raw("<li>")
            .link(text(operation.get("operationId")), text(operation.get("summary")))
            .raw("</li>\n");
    }
    html.raw("<li>").link("schemas", "Schemas").raw("</li>\n</ul>\n</nav>\n");
}

fn operations(description: &Json) -> impl Iterator<Item = (&str, &str, &Json)> {
    members(description.get("paths")).iter().flat_map(|(path, methods)| {
        members(Some(methods))
            .iter()
            .map(move |(method, operation)| (path.as_str(), method.as_str(), operation))
    })
}

fn group(html: &mut Html, description: &Json, tag: &Json) {
    html.element("h2", text(tag.get("name")));
    html.paragraphs(text(tag.get("description")));
    for (path, method, operation) in operations(description) {
        if items(operation.get("tags")).first() == tag.get("name") {
            section(html, description, (path, method), operation);
        }
    }
}

fn section(html: &mut Html, description: &Json, (path, method): (&str, &str), operation: &Json) {
    html.raw("<h3 id=\"").text(text(operation.get("operationId"))).raw("\"><span class=\"method\">");
    html.text(&method.to_uppercase()).raw("</span> <code>").text(path).raw("</code></h3>\n");
    html.paragraphs(text(operation.get("summary")));
    html.paragraphs(text(operation.get("description")));
    let parameters = items(operation.get("parameters"));
    if !parameters.is_empty() {
        html.raw("<h4>Parameters</h4>\n<dl>\n");
    }
    for parameter in parameters {
        let kind = parameter.get("schema").map(kind_of).unwrap_or_default();
        entry(html, text(parameter.get("name")), &[text(parameter.get("in")), &kind]);
        html.raw("<dd>").prose(text(parameter.get("description"))).raw("</dd>\n");
    }
    if !parameters.is_empty() {
        html.raw("</dl>\n");
    }
    if let Some(body) = operation.get("requestBody") {
        html.raw("<h4>Body</h4>\n");
        content(html, description, body);
    }
    html.raw("<h4>Answers</h4>\n<dl>\n");
    for (status, answer) in members(operation.get("responses")) {
        entry(html, status, &[]);
        html.raw("<dd>").prose(text(answer.get("description"))).raw("\n");
        content(html, description, answer);
        html.raw("</dd>\n");
    }
    html.raw("</dl>\n");
}

/// Writes a term with short remarks.
fn entry(html: &mut Html, name: &str, remarks: &[&str]) {
    html.raw("<dt><code>").text(name).raw("</code>");
    for remark in remarks.iter().filter(|remark| !remark.is_empty()) {
        html.raw(" <span class=\"quiet\">").text(remark).raw("</span>");
    }
    html.raw("</dt>\n");
}

/// Writes the bodies of a request or a response: their types and examples.
fn content(html: &mut Html, description: &Json, message: &Json) {
    for (media, content) in members(message.get("content")) {
        html.raw("<div><code>").text(media).raw("</code>");
        for name in content.get("schema").map(references).unwrap_or_default() {
            html.raw(" ").link(&format!("schema-{name}"), name);
        }
        html.raw("</div>\n");
        if let Some(example) = content.get("example") {
            html.example("Example", example);
        }
        for (name, example) in members(content.get("examples")) {
            let referred = at(description, &["components", "examples", name]);
            if let Some(value) = example.get("value").or_else(|| referred?.get("value")) {
                html.example(name, value);
            }
        }
    }
}

fn schema_section(html: &mut Html, name: &str, schema: &Json) {
    html.raw("<h3 id=\"schema-").text(name).raw("\">").text(name).raw("</h3>\n");
    html.paragraphs(text(schema.get("description")));
    for name in references_of_alternatives(schema) {
        html.raw("<div>One form: ").link(&format!("schema-{name}"), name).raw("</div>\n");
    }
    words(html, schema);
    let required = items(schema.get("required"));
    html.raw("<dl>\n");
    for (member, value) in members(schema.get("properties")) {
        let is_required = required.iter().any(|name| text(Some(name)) == member);
        entry(html, member, &[&kind_of(value), if is_required { "required" } else { "" }]);
        html.raw("<dd>").prose(text(value.get("description")));
        for name in references(value) {
            html.raw(" ").link(&format!("schema-{name}"), name);
        }
        words(html, value);
        html.raw("</dd>\n");
    }
    html.raw("</dl>\n");
}

/// Writes the words of a closed or open list.
fn words(html: &mut Html, schema: &Json) {
    for (list, title) in [("enum", "Values"), ("x-known-values", "Known values")] {
        let words: Vec<&str> = items(schema.get(list)).iter().map(|word| text(Some(word))).collect();
        let words: Vec<&str> = words.into_iter().filter(|word| !word.is_empty()).collect();
        if !words.is_empty() {
            html.raw("<details><summary>").text(title).raw("</summary><code>");
            html.text(&words.join(", ")).raw("</code></details>\n");
        }
    }
    for alternative in items(schema.get("anyOf")) {
        words(html, alternative);
    }
}

/// Describes the type of a value in a few words.
fn kind_of(schema: &Json) -> String {
    let mut words: Vec<String> = match schema.get("type") {
        Some(Json::List(kinds)) => {
            vec![kinds.iter().map(|kind| text(Some(kind))).collect::<Vec<_>>().join(" or ")]
        }
        Some(kind) => vec![text(Some(kind)).to_owned()],
        None if references(schema).is_empty() => {
            let kinds: Vec<String> = items(schema.get("anyOf")).iter().map(kind_of).collect();
            vec![kinds.join(" or ")]
        }
        None => Vec::new(),
    };
    words.push(text(schema.get("format")).to_owned());
    for (bound, means) in [
        ("minLength", "at least"),
        ("maxLength", "at most"),
        ("minimum", "from"),
        ("exclusiveMinimum", "above"),
        ("maximum", "to"),
        ("exclusiveMaximum", "below"),
        ("minItems", "at least"),
        ("maxItems", "at most"),
        ("default", "default"),
    ] {
        match schema.get(bound) {
            Some(Json::Number(digits)) => words.push(format!("{means} {digits}")),
            Some(Json::Boolean(value)) => words.push(format!("{means} {value}")),
            _ => {}
        }
    }
    words.retain(|word| !word.is_empty());
    words.join(", ")
}

/// Returns the schemas that a schema refers to, itself or for its items.
fn references(schema: &Json) -> Vec<&str> {
    let own = schema.get("$ref").and_then(|_| text(schema.get("$ref")).strip_prefix(super::SCHEMAS));
    let items = schema.get("items").into_iter().flat_map(references);
    own.into_iter().chain(items).chain(references_of_alternatives(schema)).collect()
}

fn references_of_alternatives(schema: &Json) -> Vec<&str> {
    items(schema.get("anyOf")).iter().flat_map(references).collect()
}

fn at<'j>(value: &'j Json, path: &[&str]) -> Option<&'j Json> {
    path.iter().try_fold(value, |value, name| value.get(name))
}

fn text(value: Option<&Json>) -> &str {
    match value {
        Some(Json::Text(text)) => text,
        _ => "",
    }
}

fn items(value: Option<&Json>) -> &[Json] {
    match value {
        Some(Json::List(items)) => items,
        _ => &[],
    }
}

fn members(value: Option<&Json>) -> &[(String, Json)] {
    match value {
        Some(Json::Object(members)) => members,
        _ => &[],
    }
}

#[cfg(test)]
mod tests {
    use super::super::document;
    use super::*;
    use crate::dispatch::route::described;
    use std::collections::BTreeSet;

    /// Returns the text between each occurrence of a word and the next quote.
    fn after<'p>(page: &'p str, word: &str) -> Vec<&'p str> {
        page.split(word).skip(1).filter_map(|rest| Some(rest.split_once('"')?.0)).collect()
    }

    #[test]
    fn every_operation_and_schema_has_an_anchor_and_links_resolve() {
        let page = page(&document(&described()));
        let places = after(&page, " id=\"");
        assert_eq!(places.iter().collect::<BTreeSet<_>>().len(), places.len(), "a place twice");
        for (_, _, operation) in described() {
            assert!(places.contains(&operation.id), "{}", operation.id);
        }
        let links = after(&page, " href=\"");
        assert!(links.len() > 100);
        for link in links {
            let is_place = link.strip_prefix('#').is_some_and(|place| places.contains(&place));
            assert!(is_place || link == "/openapi.json", "{link}");
        }
    }

    #[test]
    fn the_page_needs_no_other_host_and_no_script() {
        let page = page(&document(&described()));
        for word in ["<script", "src=", "url(", "@import", "<link", "href=\"http"] {
            assert!(!page.contains(word), "{word}");
        }
    }

    #[test]
    fn text_is_escaped_and_code_is_marked() {
        let mut html = Html(String::new());
        html.prose("a < `b & \"c\"`");
        assert_eq!(html.0, "a &lt; <code>b &amp; &quot;c&quot;</code>");
    }

    #[test]
    fn types_are_described_in_words() {
        let schema = Json::object().with("type", Json::list(["string", "null"])).with("maxLength", 9_u32);
        assert_eq!(kind_of(&schema), "string or null, at most 9");
        let schema =
            Json::parse(br#"{"anyOf": [{"type": "string", "enum": ["A"]}, {"type": "null"}]}"#).unwrap();
        assert_eq!(kind_of(&schema), "string or null");
        let schema = Json::object().with("type", "boolean").with("default", true);
        assert_eq!(kind_of(&schema), "boolean, default true");
    }
}
