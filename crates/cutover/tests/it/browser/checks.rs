//! Tests of the checks: each finds its fault.

use super::Page;
use super::look::Scheme;
use crate::harness::Installation;

/// A change to a page, and the fault that it causes.
const BROKEN: [(&str, &str); 13] = [
    ("document.body.style.width = '1500px'", "1500 in 1280"),
    ("document.querySelector('h1').style.color = '#999'", "h1: Sign in"),
    ("document.querySelector('#api_key').style.setProperty('color', 'transparent')", "input"),
    ("document.querySelector('label').htmlFor = 'nothing'", "a field without a label"),
    ("document.querySelector('button').style.height = '20px'", "too small to hit"),
    (
        "Object.assign(document.querySelector('h1').style, {width: '30px', overflowWrap: 'anywhere'})",
        "torn: Sign",
    ),
    (
        "const h1 = document.querySelector('h1'); h1.textContent = 'A-7K2M9QX4'; h1.style.width = '30px'",
        "broken: A-7K2M9QX4",
    ),
    (
        "const h1 = document.querySelector('h1'); h1.textContent = '1,000';
        Object.assign(h1.style, {width: '30px', overflowWrap: 'anywhere'})",
        "broken: 1,000",
    ),
    (
        "const h1 = document.querySelector('h1'); h1.textContent = '2 of 3'; h1.style.width = '30px'",
        "broken: 2 of 3",
    ),
    (
        "Object.assign(document.querySelector('h1').style,
        {width: '30px', whiteSpace: 'nowrap', overflow: 'hidden'})",
        "clipped: <h1",
    ),
    (
        "Object.assign(document.querySelector('h1').style,
        {width: '30px', whiteSpace: 'nowrap', overflow: 'auto'})",
        "scrolls, but is no region: <h1",
    ),
    ("document.querySelector('h1').remove()", "not one heading of the page"),
    ("document.querySelector('button').textContent = ''", "nameless: button"),
];

#[test]
fn faults_of_a_page_are_found() {
    let installation = Installation::new();
    let server = installation.serve();
    let Some(page) = Page::open(&server) else { return };
    for (what, found) in BROKEN {
        page.go("/console/sign-in/");
        page.prefer(Scheme::Light);
        page.write("Operator key", "cut_live_x");
        assert_eq!(page.faults(), [""; 0], "before: {what}");
        page.script(what);
        let mut faults = page.faults();
        faults.extend(page.nameless().iter().map(|role| format!("nameless: {role}")));
        assert!(faults.iter().any(|fault| fault.contains(found)), "{what}: {faults:?}");
    }
}

#[test]
fn tables_that_are_cut_off_are_found() {
    let installation = Installation::new();
    let server = installation.serve();
    let Some(page) = Page::open(&server) else { return };
    page.go("/console/sign-in/");
    page.script("document.querySelector('main').innerHTML = '<div class=\"scroll\" aria-label=\"Rows\"><p>Row</p></div>'");
    assert_eq!(page.cut(), [""; 0]);
    page.script("document.querySelector('.scroll p').style.width = '9000px'");
    assert!(page.cut()[0].starts_with("cut off: Rows, 9000 in "), "{:?}", page.cut());
    assert!(page.misfits().iter().any(|fault| fault.starts_with("cut off: Rows")), "{:?}", page.misfits());
    // Tables of imported data may, but not where their rows are stacked.
    page.script("document.querySelector('.scroll').classList.add('wide')");
    assert_eq!(page.cut(), [""; 0]);
    page.resize(super::look::NARROW);
    assert_eq!(page.cut().len(), 1);
}

#[test]
fn faults_outside_of_a_page_are_found() {
    let installation = Installation::new();
    let server = installation.serve();
    let Some(page) = Page::open(&server) else { return };
    page.go("/console/sign-in/");
    assert_eq!(page.take_troubles(), [""; 0]);
    for (what, found) in [
        ("document.body.setAttribute('style', 'color: red')", "Content Security Policy"),
        (
            "document.body.append(Object.assign(new Image(), {src: 'http://elsewhere.test/x'}))",
            "elsewhere.test",
        ),
        ("setTimeout(() => { throw new Error('lost') })", "lost"),
        ("console.warn('beware')", "beware"),
        ("return fetch('/console/nothing/').then(() => 1)", "refused: [(404"),
    ] {
        page.script(what);
        let mut troubles = Vec::new();
        page.wait_until(found, || {
            troubles.extend(page.take_troubles());
            troubles.iter().any(|trouble| trouble.contains(found))
        });
    }
}
