//! The modules of one crate as its files declare them: what each defines, imports and names.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use proc_macro2::{Ident, TokenStream, TokenTree};
use syn::ext::IdentExt;
use syn::visit::{self, Visit};
use syn::{Attribute, Item, LitStr, Meta, UseTree};

/// Names joined by `::`. The name of a macro ends with `!`.
pub(super) type Names = Vec<String>;

/// A module without its tests.
#[derive(Default)]
pub(super) struct Module {
    pub(super) name: String,
    pub(super) parent: Option<usize>,
    pub(super) file: PathBuf,
    pub(super) children: BTreeMap<String, usize>,
    /// Names of the items that are written here.
    pub(super) items: BTreeSet<String>,
    /// The full path of each imported name; re-exports are imports.
    pub(super) imports: BTreeMap<String, Names>,
    /// Modules or types all of whose names are imported.
    pub(super) globs: Vec<Names>,
    /// Each path in the code, and the line of the first one.
    pub(super) mentions: BTreeMap<Names, usize>,
}

/// Reads a file of the crate.
pub(crate) type Read<'r> = &'r dyn Fn(&Path) -> Result<String, String>;

/// Reads the modules of the crate with this root file; the root is the first.
pub(super) fn modules(root: &Path, read: Read<'_>) -> Result<Vec<Module>, String> {
    let top = Module { file: root.to_owned(), ..Module::default() };
    let mut reader = Reader { modules: vec![top], at: 0, folder: PathBuf::new(), read, fault: None };
    reader.file(0, root.parent().unwrap_or(Path::new("")).to_owned());
    reader.fault.map_or(Ok(reader.modules), Err)
}

struct Reader<'r> {
    modules: Vec<Module>,
    /// The module that is being read.
    at: usize,
    /// The folder of its children.
    folder: PathBuf,
    read: Read<'r>,
    fault: Option<String>,
}

impl Reader<'_> {
    fn file(&mut self, module: usize, folder: PathBuf) {
        let path = self.modules[module].file.clone();
        let parsed = (self.read)(&path).and_then(|text| syn::parse_file(&text).map_err(|e| e.to_string()));
        match parsed {
            Ok(file) => self.inside(module, folder, |reader| reader.visit_file(&file)),
            Err(fault) => self.fault = Some(format!("{}: {fault}", path.display())),
        }
    }

    fn inside(&mut self, module: usize, folder: PathBuf, visit: impl FnOnce(&mut Self)) {
        let (at, outer) =
            (std::mem::replace(&mut self.at, module), std::mem::replace(&mut self.folder, folder));
        visit(self);
        (self.at, self.folder) = (at, outer);
    }

    fn here(&mut self) -> &mut Module {
        &mut self.modules[self.at]
    }

    fn mention(&mut self, names: Names, at: &Ident) {
        self.here().mentions.entry(names).or_insert(at.span().start().line);
    }

    /// Adds what a `use` imports.
    fn import(&mut self, mut prefix: Names, tree: &UseTree) {
        let (ident, alias) = match tree {
            UseTree::Path(path) => {
                prefix.push(path.ident.unraw().to_string());
                if let UseTree::Glob(_) = *path.tree {
                    self.mention(prefix.clone(), &path.ident);
                }
                return self.import(prefix, &path.tree);
            }
            UseTree::Group(group) => {
                return group.items.iter().for_each(|tree| self.import(prefix.clone(), tree));
            }
            UseTree::Glob(_) => return self.here().globs.push(prefix),
            UseTree::Name(name) => (&name.ident, &name.ident),
            UseTree::Rename(rename) => (&rename.ident, &rename.rename),
        };
        let mut alias = alias.unraw().to_string();
        if ident == "self" {
            alias = if alias == "self" { prefix.last().cloned().unwrap_or_default() } else { alias };
        } else {
            prefix.push(ident.unraw().to_string());
        }
        self.mention(prefix.clone(), ident);
        self.here().imports.insert(alias, prefix);
    }

    /// Finds the paths in the tokens of a macro, whose grammar is its own.
    fn tokens(&mut self, tokens: TokenStream) {
        let mut names = Names::new();
        let mut tokens = tokens.into_iter().peekable();
        let is =
            |token: Option<&TokenTree>, c| matches!(token, Some(TokenTree::Punct(p)) if p.as_char() == c);
        while let Some(token) = tokens.next() {
            match token {
                TokenTree::Ident(ident) => {
                    names.push(ident.unraw().to_string());
                    if is(tokens.peek(), '!') {
                        names.last_mut().into_iter().for_each(|name| name.push('!'));
                    }
                    if !is(tokens.peek(), ':') {
                        self.mention(std::mem::take(&mut names), &ident);
                    }
                }
                TokenTree::Punct(p) if p.as_char() == ':' && !names.is_empty() && is(tokens.peek(), ':') => {
                    tokens.next();
                }
                TokenTree::Group(group) => {
                    names.clear();
                    self.tokens(group.stream());
                }
                // `#[serde(with = "crate::…")]`
                TokenTree::Literal(literal) => {
                    names.clear();
                    let text = syn::parse2::<LitStr>(TokenTree::Literal(literal).into());
                    let path = text.and_then(|text| text.parse::<syn::Path>());
                    path.iter().filter(|path| path.segments.len() > 1).for_each(|path| self.visit_path(path));
                }
                TokenTree::Punct(_) => names.clear(),
            }
        }
    }
}

impl<'ast> Visit<'ast> for Reader<'_> {
    fn visit_item(&mut self, item: &'ast Item) {
        let (name, attributes) = name_and_attributes(item);
        if !attributes.iter().any(is_for_tests) {
            self.here().items.extend(name.map(|name| name.unraw().to_string()));
            visit::visit_item(self, item);
        }
    }

    fn visit_item_mod(&mut self, item: &'ast syn::ItemMod) {
        let name = item.ident.unraw().to_string();
        let child = self.modules.len();
        let folder = self.folder.join(&name);
        let mut file = self.here().file.clone();
        if item.content.is_none() {
            let flat = self.folder.join(format!("{name}.rs"));
            file = match item.attrs.iter().find_map(path_of) {
                Some(path) => file.with_file_name(path),
                None if (self.read)(&flat).is_ok() => flat,
                None => folder.join("mod.rs"),
            };
        }
        let folder = match file.file_name() {
            Some(mod_rs) if mod_rs == "mod.rs" && item.content.is_none() => file.with_file_name(""),
            _ => folder,
        };
        self.here().children.insert(name.clone(), child);
        self.modules.push(Module { name, parent: Some(self.at), file, ..Module::default() });
        match &item.content {
            Some((_, items)) => {
                self.inside(child, folder, |reader| items.iter().for_each(|item| reader.visit_item(item)));
            }
            None => self.file(child, folder),
        }
    }

    fn visit_item_use(&mut self, item: &'ast syn::ItemUse) {
        if item.leading_colon.is_none() {
            self.import(Names::new(), &item.tree);
        }
    }

    fn visit_item_macro(&mut self, item: &'ast syn::ItemMacro) {
        self.here().items.extend(item.ident.iter().map(|name| format!("{name}!")));
        visit::visit_item_macro(self, item);
    }

    fn visit_impl_item_fn(&mut self, function: &'ast syn::ImplItemFn) {
        if !function.attrs.iter().any(is_for_tests) {
            visit::visit_impl_item_fn(self, function);
        }
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        if let (None, Some(first)) = (&path.leading_colon, path.segments.first()) {
            let names = path.segments.iter().map(|segment| segment.ident.unraw().to_string()).collect();
            self.mention(names, &first.ident);
        }
        visit::visit_path(self, path);
    }

    fn visit_macro(&mut self, call: &'ast syn::Macro) {
        if let Some(last) = call.path.segments.last() {
            let names = call.path.segments.iter().map(|segment| segment.ident.unraw().to_string());
            let mut names: Names = names.collect();
            names.last_mut().into_iter().for_each(|name| name.push('!'));
            self.mention(names, &last.ident);
        }
        self.tokens(call.tokens.clone());
    }

    fn visit_attribute(&mut self, attribute: &'ast Attribute) {
        if let Meta::List(list) = &attribute.meta {
            self.tokens(list.tokens.clone());
        }
    }
}

/// Returns true for `#[cfg(test)]`, alone or beside other conditions.
fn is_for_tests(attribute: &Attribute) -> bool {
    let Meta::List(list) = &attribute.meta else { return false };
    let condition = list.tokens.to_string();
    let mut words = condition.split(|c: char| !c.is_alphanumeric());
    list.path.is_ident("cfg")
        && !condition.contains("not")
        && words.any(|word| word == "test" || word == "doctest")
}

/// The file that `#[path = "…"]` names.
fn path_of(attribute: &Attribute) -> Option<String> {
    let Meta::NameValue(pair) = &attribute.meta else { return None };
    match &pair.value {
        syn::Expr::Lit(syn::ExprLit { lit: syn::Lit::Str(path), .. }) if pair.path.is_ident("path") => {
            Some(path.value())
        }
        _ => None,
    }
}

fn name_and_attributes(item: &Item) -> (Option<&Ident>, &[Attribute]) {
    match item {
        Item::Const(item) => (Some(&item.ident), &item.attrs),
        Item::Enum(item) => (Some(&item.ident), &item.attrs),
        Item::Fn(item) => (Some(&item.sig.ident), &item.attrs),
        Item::Impl(item) => (None, &item.attrs),
        Item::Macro(item) => (None, &item.attrs),
        Item::Mod(item) => (None, &item.attrs),
        Item::Static(item) => (Some(&item.ident), &item.attrs),
        Item::Struct(item) => (Some(&item.ident), &item.attrs),
        Item::Trait(item) => (Some(&item.ident), &item.attrs),
        Item::Type(item) => (Some(&item.ident), &item.attrs),
        Item::Use(item) => (None, &item.attrs),
        _ => (None, &[]),
    }
}
