//! The pages that explain an error code or a rule, from the tables of codes and rules.

use super::Served;
use super::page::{Html, STYLE};
use cutover_app::{Needs, Rule, rule, rules_with};
use cutover_core::{Code, Domain};

/// Returns the page of an error code; `None` if there is no such code.
pub(crate) fn code_page(word: &str) -> Option<Served> {
    let code = Code::from_word(word)?;
    let mut html = begin(code.as_str());
    html.raw("<h1><code>").text(code.as_str()).raw("</code></h1>\n<p>").text(code.detail()).raw("</p>\n");
    html.element("h2", "Cause");
    html.raw("<p>").text(domain(code.domain())).raw("</p>\n");
    let mut rules = rules_with(code).peekable();
    if rules.peek().is_some() {
        html.raw("<dl>\n");
        for rule in rules {
            html.raw("<dt><a href=\"/docs/rules/")
                .text(rule.id.0)
                .raw("/\">")
                .text(rule.id.0)
                .raw("</a></dt>\n");
            html.raw("<dd>At ").prose(rule.place).raw(": ").prose(&rule.plain_condition()).raw(".</dd>\n");
        }
        html.raw("</dl>\n");
    }
    html.element("h2", "What to do");
    html.raw("<p>").text(code.advice()).raw("</p>\n");
    if let Some(example) = code.example() {
        html.element("h2", "Example");
        html.raw("<p>Reported:</p>\n<pre tabindex=\"0\">").text(example.wrong).raw("</pre>\n");
        html.raw("<p>Corrected:</p>\n<pre tabindex=\"0\">").text(example.right).raw("</pre>\n");
    }
    Some(end(html))
}

/// Returns the page of a rule; `None` if there is no such rule.
pub(crate) fn rule_page(id: &str) -> Option<Served> {
    let rule = rule(id)?;
    let mut html = begin(rule.id.0);
    html.element("h1", rule.id.0);
    html.raw("<p>Reported at ").prose(rule.place).raw(": ").prose(&rule.plain_condition()).raw(".</p>\n");
    html.element("h2", "Level");
    html.raw("<p>").text(&level(rule)).raw("</p>\n");
    html.element("h2", "Codes");
    html.raw("<dl>\n");
    for code in rule.codes {
        html.raw("<dt><a href=\"/docs/errors/").text(code.as_str()).raw("/\"><code>").text(code.as_str());
        html.raw("</code></a></dt>\n<dd>").text(&code.message()).raw("</dd>\n");
    }
    html.raw("</dl>\n");
    Some(end(html))
}

fn begin(title: &str) -> Html {
    let mut html = Html("<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n".to_owned());
    html.raw("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n");
    html.element("title", title);
    html.raw("<style>").raw(STYLE).raw("</style>\n");
    html.raw("<nav aria-label=\"Contents\"><a href=\"/docs/\">The API</a></nav>\n<main>\n");
    html
}

fn end(mut html: Html) -> Served {
    html.raw("</main>\n</html>\n");
    Served::new(html.0)
}

fn domain(domain: Domain) -> &'static str {
    match domain {
        Domain::Field => "A check of one value, or of the structure of the payload, failed.",
        Domain::Rule => "A condition that spans several values is not met; payload and clock decide it.",
        Domain::Service => "A condition that needs stored state or configuration is not met.",
        Domain::Process => "The import process ended without an account.",
        Domain::General => "The request as a whole was refused.",
        Domain::Undo => "An undo was to take back the import of this account, and keeps it.",
        Domain::Table => {
            "Only `cutover-client` and the Python package report it, about files, rows and cells; the service does not send it."
        }
        Domain::Client => "Only the reports of cutover-client have it; the service does not send it.",
    }
}

fn level(rule: &Rule) -> String {
    let changed = match rule.fixed {
        true => "It cannot be changed.",
        false => "The operator can change it for each supplier.",
    };
    let later = match rule.level_after_import() {
        later if later == rule.level => String::new(),
        later => format!(" In requests after the import: {later}."),
    };
    let needs = match rule.needs {
        Needs::Payload => "The request and the clock alone decide it, so cutover-client checks it offline.",
        Needs::Settings => {
            "It needs values that the supplier has. cutover-client checks it too, if it has the supplier's settings."
        }
        Needs::Service => "It needs stored state or configuration, so only the service checks it.",
    };
    format!("{}.{later} {changed} {needs}", rule.level)
}
