//! Import cycles between the modules of a crate.
//!
//! A module depends on what it or a module below it names: `a::x` that names an item of `b::y` makes `a` depend on `b`.
//! A name counts for the module that defines it, whichever re-export it is reached by. A module and its children are
//! one to the outside, and no edge leads from one to the other. Tests do not count, nor does what only a type check could
//! tell: methods, and items made by macros that a glob re-exports.

mod source;

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::path::Path;

use source::Module;
pub(crate) use source::Read;

/// Siblings that depend on each other.
#[derive(Debug, Clone)]
pub(super) struct Cycle {
    /// The modules, each of which reaches all others.
    pub(super) modules: Vec<String>,
    /// The shortest way around, one import each.
    pub(super) way: Vec<String>,
}

impl std::fmt::Display for Cycle {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { modules, way } = self;
        write!(f, "import cycle between {}: {}", modules.join(", "), way.join(", "))
    }
}

/// Returns the import cycles of the crate with this root file, one for each set of modules that reach each other.
pub(super) fn cycles(root: &Path, read: Read<'_>) -> Result<Vec<Cycle>, String> {
    let graph = Graph::new(root, read)?;
    Ok(graph.edges().values().flat_map(|edges| graph.cycles_of(edges)).collect())
}

struct Graph {
    modules: Vec<Module>,
    /// The module of each macro of the crate, as most are found by the order of the text and not by a path; `None` if
    /// several have a macro of that name.
    macros: BTreeMap<String, Option<usize>>,
}

/// For each pair of siblings where the first one names the second: the first module and line where it does.
type Edges = BTreeMap<(usize, usize), (usize, usize)>;

/// The module or the item that a path names.
#[derive(Clone, Copy)]
enum Named {
    Module(usize),
    /// An item that this module defines.
    ItemOf(usize),
}

/// Names that are being looked up, each in a module: imports may lead around.
type Seen = BTreeSet<(usize, String)>;

impl Graph {
    fn new(root: &Path, read: Read<'_>) -> Result<Self, String> {
        let modules = source::modules(root, read)?;
        let mut macros = BTreeMap::new();
        for (at, module) in modules.iter().enumerate() {
            for name in module.items.iter().filter(|name| name.ends_with('!')) {
                macros.entry(name.clone()).and_modify(|module| *module = None).or_insert(Some(at));
            }
        }
        Ok(Self { modules, macros })
    }

    /// The edges between the children of each module.
    fn edges(&self) -> BTreeMap<usize, Edges> {
        let mut folders: BTreeMap<usize, Edges> = BTreeMap::new();
        for (from, module) in self.modules.iter().enumerate() {
            for (names, line) in &module.mentions {
                let to = match self.find(from, names, &mut Seen::new()) {
                    Some(Named::Module(to) | Named::ItemOf(to)) => Some(to),
                    None => names.last().and_then(|name| self.macros.get(name).copied().flatten()),
                };
                if let Some((parent, edge)) = to.and_then(|to| self.siblings(from, to)) {
                    let first = folders.entry(parent).or_default().entry(edge).or_insert((from, *line));
                    *first = (from, *line).min(*first);
                }
            }
        }
        folders
    }

    /// Resolves a path; `None` for other crates, variables and what only a type check could tell.
    fn find(&self, from: usize, names: &[String], seen: &mut Seen) -> Option<Named> {
        let mut at = from;
        for (i, name) in names.iter().enumerate() {
            at = match name.as_str() {
                "crate" => 0,
                "self" => at,
                "super" => self.modules[at].parent?,
                name => match self.look_up(at, name, seen) {
                    Some(Named::Module(child)) => child,
                    // An item, or what it contains.
                    Some(item) => return Some(item),
                    // An item that a macro makes.
                    None if i > 0 && !name.ends_with('!') => return Some(Named::ItemOf(at)),
                    None => return None,
                },
            }
        }
        Some(Named::Module(at))
    }

    fn look_up(&self, at: usize, name: &str, seen: &mut Seen) -> Option<Named> {
        let module = &self.modules[at];
        if let Some(child) = module.children.get(name) {
            return Some(Named::Module(*child));
        }
        if module.items.contains(name) {
            return Some(Named::ItemOf(at));
        }
        if !seen.insert((at, name.to_owned())) {
            return None;
        }
        if let Some(names) = module.imports.get(name) {
            return self.find(at, names, seen);
        }
        module.globs.iter().find_map(|glob| match self.find(at, glob, seen)? {
            Named::Module(other) => self.look_up(other, name, seen),
            Named::ItemOf(_) => None,
        })
    }

    /// The nearest common parent of two modules, and the children of it that they are in; `None` if one contains the
    /// other.
    fn siblings(&self, from: usize, to: usize) -> Option<(usize, (usize, usize))> {
        let (from, to) = (self.line_of(from), self.line_of(to));
        let common = from.iter().zip(&to).take_while(|(a, b)| a == b).count();
        Some((from[common - 1], (*from.get(common)?, *to.get(common)?)))
    }

    /// A module and those that contain it, the root first.
    fn line_of(&self, module: usize) -> Vec<usize> {
        let mut line: Vec<_> = std::iter::successors(Some(module), |at| self.modules[*at].parent).collect();
        line.reverse();
        line
    }

    fn cycles_of(&self, edges: &Edges) -> Vec<Cycle> {
        let mut rest: BTreeSet<usize> = edges.keys().map(|(from, _)| *from).collect();
        let mut cycles = Vec::new();
        while let Some(first) = rest.pop_first() {
            let around =
                |other: &usize| way(edges, first, *other).is_some() && way(edges, *other, first).is_some();
            let mut knot: Vec<usize> = rest.iter().copied().filter(around).collect();
            rest.retain(|other| !knot.contains(other));
            knot.insert(0, first);
            let ways = knot.iter().filter_map(|module| way(edges, *module, *module));
            if let Some(way) = ways.min_by_key(Vec::len) {
                let name = |module: &usize| self.modules[*module].name.clone();
                let import = |edge: &(usize, usize)| {
                    let (module, line) = edges[edge];
                    let file = self.modules[module].file.display();
                    format!("{} → {} ({file}:{line})", name(&edge.0), name(&edge.1))
                };
                cycles.push(Cycle {
                    modules: knot.iter().map(name).collect(),
                    way: way.iter().map(import).collect(),
                });
            }
        }
        cycles
    }
}

/// The edges of the shortest way between two modules, or around if they are the same.
fn way(edges: &Edges, from: usize, to: usize) -> Option<Vec<(usize, usize)>> {
    let mut came_by: BTreeMap<usize, (usize, usize)> = BTreeMap::new();
    let mut next = VecDeque::from([from]);
    while let Some(at) = next.pop_front() {
        for edge in edges.keys().filter(|edge| edge.0 == at) {
            if let Entry::Vacant(entry) = came_by.entry(edge.1) {
                entry.insert(*edge);
                next.push_back(edge.1);
            }
        }
    }
    let mut way = vec![*came_by.get(&to)?];
    while way[0].0 != from {
        way.insert(0, came_by[&way[0].0]);
    }
    Some(way)
}

#[cfg(test)]
mod tests;
