use async_graphql::Name;
use async_graphql::parser::types::{ExecutableDocument, Selection, SelectionSet};
use std::collections::HashMap;

/// The cost of a query with its fragments expanded.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Weight {
    selections: u32,
    aliases: u32,
    directives: u32,
    /// Nesting of fields.
    depth: u32,
    /// Nesting of introspection lists: each multiplies the size of the response.
    lists: u32,
}

/// Introspection queries of the usual tools have less than half of this.
const LIMIT: Weight = Weight { selections: 500, aliases: 20, directives: 20, depth: 20, lists: 3 };
/// Maximum number of fragments in a document.
const FRAGMENTS: usize = 50;

/// Refuses a document that costs too much to validate or to execute. Runs in time linear in its length,
/// however far its fragments expand: libraries that expand them can be kept busy forever.
///
/// # Errors
/// The limit that is exceeded.
pub(super) fn check(document: &ExecutableDocument) -> Result<(), &'static str> {
    if document.fragments.len() > FRAGMENTS {
        return Err("The query has too many fragments.");
    }
    let mut scales = Scales { document, known: HashMap::new() };
    let mut total = Weight::default();
    for (_, operation) in document.operations.iter() {
        total.add(scales.weigh(&operation.node.selection_set.node)?);
        total.directives = total.directives.saturating_add(operation.node.directives.len() as u32);
    }
    let problems = [
        (total.selections > LIMIT.selections, "The query selects too much."),
        (total.aliases > LIMIT.aliases, "The query has too many aliases."),
        (total.directives > LIMIT.directives, "The query has too many directives."),
        (total.depth > LIMIT.depth, "The query is nested too deeply."),
        (total.lists > LIMIT.lists, "The introspection is nested too deeply."),
    ];
    problems.into_iter().find_map(|(wrong, problem)| wrong.then_some(problem)).map_or(Ok(()), Err)
}

struct Scales<'d> {
    document: &'d ExecutableDocument,
    /// The weights of fragments; `None` while one is being weighed.
    known: HashMap<&'d Name, Option<Weight>>,
}

impl<'d> Scales<'d> {
    fn weigh(&mut self, set: &'d SelectionSet) -> Result<Weight, &'static str> {
        let mut total = Weight::default();
        for selection in &set.items {
            let mut weight = match &selection.node {
                Selection::Field(field) => {
                    let mut weight = self.weigh(&field.node.selection_set.node)?;
                    weight.aliases = weight.aliases.saturating_add(field.node.alias.is_some().into());
                    weight.depth += 1;
                    weight.lists += u32::from(is_list(&field.node.name.node));
                    weight
                }
                Selection::InlineFragment(inline) => self.weigh(&inline.node.selection_set.node)?,
                Selection::FragmentSpread(spread) => self.fragment(&spread.node.fragment_name.node)?,
            };
            weight.selections = weight.selections.saturating_add(1);
            let directives = selection.node.directives().len() as u32;
            weight.directives = weight.directives.saturating_add(directives);
            total.add(weight);
        }
        Ok(total)
    }

    fn fragment(&mut self, name: &'d Name) -> Result<Weight, &'static str> {
        match self.known.get(name) {
            Some(Some(weight)) => return Ok(*weight),
            Some(None) => return Err("The query has a fragment within itself."),
            None => {}
        }
        // An undefined fragment has no weight; validation reports it.
        let Some(fragment) = self.document.fragments.get(name) else { return Ok(Weight::default()) };
        self.known.insert(name, None);
        let mut weight = self.weigh(&fragment.node.selection_set.node)?;
        weight.directives = weight.directives.saturating_add(fragment.node.directives.len() as u32);
        self.known.insert(name, Some(weight));
        Ok(weight)
    }
}

impl Weight {
    fn add(&mut self, other: Self) {
        self.selections = self.selections.saturating_add(other.selections);
        self.aliases = self.aliases.saturating_add(other.aliases);
        self.directives = self.directives.saturating_add(other.directives);
        self.depth = self.depth.max(other.depth);
        self.lists = self.lists.max(other.lists);
    }
}

fn is_list(field: &str) -> bool {
    matches!(field, "fields" | "interfaces" | "possibleTypes" | "inputFields")
}
