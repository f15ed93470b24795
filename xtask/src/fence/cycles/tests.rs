use std::path::Path;

use super::*;

/// The cycles of a crate with these files.
fn cycles_of(files: &[(&str, &str)]) -> Vec<String> {
    let read = |path: &Path| {
        let file = files.iter().find(|(name, _)| Path::new(name) == path);
        file.map(|(_, text)| (*text).to_owned()).ok_or_else(|| "no such file".to_owned())
    };
    cycles(Path::new("lib.rs"), &read).unwrap().iter().map(ToString::to_string).collect()
}

#[test]
fn a_cycle_is_named_with_the_lines_that_import() {
    let found = cycles_of(&[
        ("lib.rs", "mod a; mod b; mod c; mod d;"),
        ("a.rs", "use crate::b::B;\n\npub struct A(B);"),
        ("b.rs", "use crate::d::D;\npub struct B(D, super::c::C);"),
        ("c.rs", "\n\npub struct C;\nfn a() -> Option<crate::a::A> { None }"),
        ("d.rs", "pub struct D;"),
    ]);
    assert_eq!(found, ["import cycle between a, b, c: a → b (a.rs:1), b → c (b.rs:2), c → a (c.rs:4)"]);
}

#[test]
fn modules_below_count_for_the_siblings_above_them() {
    let found = cycles_of(&[
        ("lib.rs", "mod a { mod x { use crate::b::y::Y; } pub mod z { pub struct Z; } } mod b;"),
        ("b/mod.rs", "pub mod y;"),
        ("b/y.rs", "pub struct Y(crate::a::z::Z);"),
    ]);
    assert_eq!(found, ["import cycle between a, b: a → b (lib.rs:1), b → a (b/y.rs:1)"]);
}

#[test]
fn a_name_counts_for_the_module_that_defines_it() {
    let reexports = "mod a; mod b; pub use a::*; pub use b::Two as B;";
    let (a, b) = ("pub struct A; use crate::B;", "pub struct Two; use super::A;");
    let found = cycles_of(&[("lib.rs", reexports), ("a.rs", a), ("b.rs", b)]);
    assert_eq!(found, ["import cycle between a, b: a → b (a.rs:1), b → a (b.rs:1)"]);
    let through_the_parent = "use super::*; pub struct Two(A);";
    assert_eq!(cycles_of(&[("lib.rs", reexports), ("a.rs", a), ("b.rs", through_the_parent)]).len(), 1);
}

#[test]
fn macros_count_where_they_are_written_and_used() {
    let found = cycles_of(&[
        ("lib.rs", "#[macro_use] mod a; mod b;"),
        ("a.rs", "macro_rules! make { () => { $crate::b::B } }"),
        ("b.rs", "pub struct B; fn f() { make!(); }"),
    ]);
    assert_eq!(found, ["import cycle between a, b: a → b (a.rs:1), b → a (b.rs:1)"]);
}

#[test]
fn parents_tests_and_other_crates_make_no_cycle() {
    let found = cycles_of(&[
        ("lib.rs", "mod a; mod b; pub struct Top(a::A, b::B);"),
        ("a.rs", "pub struct A; fn f(_: crate::Top, _: super::b::B, b: ::b::B) {}"),
        (
            "b.rs",
            "pub struct B; #[cfg(test)] mod tests;\n#[cfg(test)] use crate::a::A;\n use other::a::A as _;",
        ),
    ]);
    assert_eq!(found, [""; 0]);
}

#[test]
fn a_file_that_cannot_be_read_is_named() {
    let read = |path: &Path| match path.to_str() {
        Some("lib.rs") => Ok("mod gone;".to_owned()),
        _ => Err("no such file".to_owned()),
    };
    assert_eq!(cycles(Path::new("lib.rs"), &read).err().unwrap(), "gone/mod.rs: no such file");
}
