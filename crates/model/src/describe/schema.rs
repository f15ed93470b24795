use super::kinds::{leaf, nullable, of_type};
use super::{AnswerKind, AnswerMember, AnswerSpec, Json, Request};
use crate::choices::SupplyType;
use crate::decode::{FieldSpec, Kind, Limits, ObjectSpec};
use crate::{AccountEnvelope, MeterPointCommon, Variant};
use cutover_core::Code;

/// The dialect of the schemas.
const DIALECT: &str = "https://json-schema.org/draft/2020-12/schema";

/// Schemas of objects that refer to each other, each generated once.
///
/// Schemas of requests accept what the decoder accepts, as far as a schema can express it: they refuse
/// unknown members and have the default limits. Schemas of answers allow further members.
#[derive(Debug)]
pub struct Schemas {
    prefix: &'static str,
    made: Vec<(String, Json)>,
}

/// The schema of a request's body as a separate document (JSON Schema, draft 2020-12).
pub fn request_schema(request: &Request) -> Json {
    let mut schemas = Schemas::new("#/$defs/");
    let body = schemas.request(request);
    let head = Json::object()
        .with("$schema", DIALECT)
        .with("title", title(request.object.name))
        .with("description", tidy(request.object.doc));
    let Json::Object(members) = body else { return head };
    let whole = members.into_iter().fold(head, |schema, (name, value)| schema.with(&name, value));
    whole.with("$defs", schemas.into_definitions())
}

impl Schemas {
    /// An empty set. References to schemas begin with the prefix, for example `#/$defs/`.
    pub fn new(prefix: &'static str) -> Self {
        Self { prefix, made: Vec::new() }
    }

    /// All referenced schemas by name, in the order of first reference.
    pub fn into_definitions(self) -> Json {
        Json::Object(self.made)
    }

    /// The schema of the body of a request; an account has two forms (contract D5).
    pub fn request(&mut self, request: &Request) -> Json {
        let bare = self.object(request.object);
        if request.object.ident != "Account" {
            return bare;
        }
        Json::object().with("anyOf", vec![bare, self.object(&AccountEnvelope::SPEC)])
    }

    /// A reference to the schema of an object of a request.
    pub fn object(&mut self, spec: &'static ObjectSpec) -> Json {
        self.define(spec.ident, |schemas| schemas.closed(spec.doc, spec.fields.iter(), None))
    }

    /// A reference to the schema of an object of an answer.
    pub fn answer(&mut self, spec: &'static AnswerSpec) -> Json {
        self.define(spec.ident, |schemas| {
            let mut members = Json::object();
            for member in spec.members {
                members = members.with(member.name, schemas.answer_member(member));
            }
            let always = spec.members.iter().filter(|member| !member.optional).map(|member| member.name);
            of_type("object")
                .with("description", tidy(spec.doc))
                .with("properties", members)
                .with("required", Json::list(always))
        })
    }

    /// A reference to the schema of an answer with the members of an object of a request, and more, which are
    /// required if their flag is set.
    pub fn extended(
        &mut self,
        (name, doc): (&str, &str),
        object: &'static ObjectSpec,
        more: impl FnOnce(&mut Self) -> Vec<(&'static str, Json, bool)>,
    ) -> Json {
        self.define(name, |schemas| {
            let (mut members, mut required) = (Json::object(), Vec::new());
            for (name, schema, is_required) in more(schemas) {
                members = members.with(name, schema);
                required.extend(is_required.then_some(name));
            }
            for field in object.fields {
                members = members.with(field.name, schemas.member(field));
                required.extend(field.required.then_some(field.name));
            }
            of_type("object")
                .with("description", tidy(doc))
                .with("properties", members)
                .with("required", Json::list(required))
        })
    }

    /// A reference to a schema by name, which is generated if it does not exist yet.
    pub fn define(&mut self, name: &str, make: impl FnOnce(&mut Self) -> Json) -> Json {
        if !self.made.iter().any(|(made, _)| made == name) {
            let place = self.made.len();
            self.made.push((name.to_owned(), Json::Null));
            self.made[place].1 = make(self);
        }
        Json::object().with("$ref", format!("{}{name}", self.prefix))
    }

    /// An object of these members and no others. For a meter point, `supply_type` is this word.
    fn closed(
        &mut self,
        doc: &str,
        fields: impl Iterator<Item = &'static FieldSpec> + Clone,
        supply_type: Option<&str>,
    ) -> Json {
        let mut members = Json::object();
        for field in fields.clone() {
            let schema = match supply_type.filter(|_| field.name == "supply_type") {
                Some(word) => described(of_type("string").with("enum", Json::list([word])), field.doc),
                None => self.member(field),
            };
            members = members.with(field.name, schema);
        }
        of_type("object")
            .with("description", tidy(doc))
            .with("properties", members)
            .with("required", Json::list(fields.filter(|field| field.required).map(|field| field.name)))
            .with("additionalProperties", false)
    }

    fn member(&mut self, field: &'static FieldSpec) -> Json {
        let schema = self.kind(field);
        described(if field.nullable { nullable(schema) } else { schema }, &field.described())
    }

    fn kind(&mut self, field: &'static FieldSpec) -> Json {
        match field.kind {
            Kind::Object(spec) => self.object(spec()),
            Kind::MeterPoint => self.meter_point(),
            Kind::List { item, min, max, batch } => {
                let limits = Limits::default();
                let general = if batch { limits.batch_items } else { limits.items };
                of_type("array")
                    .with("items", self.kind(item))
                    .with_some("minItems", (min > 0).then_some(min))
                    .with("maxItems", max.unwrap_or(general))
            }
            _ => leaf(field).unwrap_or_else(Json::object),
        }
    }

    /// The common members and those of a variant. Without `supply_type`, the prefix of the identifier or the
    /// members sent determine the variant (fields 3.1), so that any of them may match.
    fn meter_point(&mut self) -> Json {
        self.define("MeterPoint", |schemas| {
            let mut variants = Vec::new();
            for supply_type in most_required_first() {
                let own = Variant::spec(supply_type);
                let all = MeterPointCommon::SPEC.fields.iter().chain(own.fields);
                let doc = own.doc.replace(", without the common members", "");
                variants.push(
                    schemas
                        .define(own.ident, |schemas| schemas.closed(&doc, all, Some(supply_type.as_str()))),
                );
            }
            Json::object()
                .with("description", "A meter point of one of seven kinds (contract 2.3).")
                .with("anyOf", variants)
        })
    }

    fn answer_member(&mut self, member: &AnswerMember) -> Json {
        let schema = self.answer_kind(member.kind);
        described(if member.nullable { nullable(schema) } else { schema }, member.doc)
    }

    fn answer_kind(&mut self, kind: AnswerKind) -> Json {
        match kind {
            AnswerKind::Text => of_type("string"),
            AnswerKind::DateTime => of_type("string").with("format", "date-time"),
            AnswerKind::Code => self.code(),
            AnswerKind::Words(words) => of_type("string").with("enum", Json::list(words.iter().copied())),
            AnswerKind::Boolean => of_type("boolean"),
            AnswerKind::Integer => of_type("integer"),
            AnswerKind::Decimal => of_type("string").with("pattern", r"^-?[0-9]+(\.[0-9]+)?$"),
            AnswerKind::Counts(words) => numbers(words, || of_type("integer").with("minimum", 0_u32))
                .with("required", Json::list(words.iter().copied())),
            AnswerKind::SomeCounts(words) => numbers(words, || of_type("integer").with("minimum", 0_u32)),
            AnswerKind::SomeDifferences(words) => numbers(words, || of_type("integer")),
            AnswerKind::Texts => of_type("object").with("additionalProperties", of_type("string")),
            AnswerKind::Object(spec) => self.answer(spec),
            AnswerKind::Payload(spec) => self.object(spec),
            AnswerKind::List(item) => of_type("array").with("items", self.answer_kind(*item)),
            AnswerKind::AsSent => Json::object(),
        }
    }

    /// Codes may be added, so they are not a closed list.
    fn code(&mut self) -> Json {
        self.define("Code", |_| {
            of_type("string")
                .with("description", "A stable code; further ones may be added (contract 7, 9).")
                .with("x-known-values", Json::list(Code::of_service().map(Code::as_str)))
        })
    }
}

/// An object with a number for each of these words.
fn numbers(words: &[&'static str], number: impl Fn() -> Json) -> Json {
    let members = words.iter().fold(Json::object(), |members, word| members.with(word, number()));
    of_type("object").with("properties", members)
}

/// The supply types; those whose meter points require the most members come first. Generated clients take the
/// first alternative whose required members are there and drop the members that it does not have.
fn most_required_first() -> Vec<SupplyType> {
    let required = |kind: &SupplyType| required_of(Variant::spec(*kind)).count();
    let mut kinds = Variant::SUPPLY_TYPES.to_vec();
    kinds.sort_by_key(|kind| std::cmp::Reverse(required(kind)));
    kinds
}

fn required_of(spec: &'static ObjectSpec) -> impl Iterator<Item = &'static str> {
    spec.fields.iter().filter(|field| field.required).map(|field| field.name)
}

/// The schema with the description of its member.
fn described(schema: Json, doc: &str) -> Json {
    schema.with("description", tidy(doc))
}

/// Joins the lines of a comment.
fn tidy(doc: &str) -> String {
    doc.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The name with a capital letter.
fn title(name: &str) -> String {
    let mut letters = name.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A valid meter point has the required members of its own variant, and of none that comes before.
    #[test]
    fn the_first_variant_whose_required_members_are_there_is_the_right_one() {
        let kinds = most_required_first();
        assert_eq!(kinds.len(), Variant::SUPPLY_TYPES.len());
        for (i, kind) in kinds.iter().enumerate() {
            let members: Vec<_> = Variant::spec(*kind).fields.iter().map(|field| field.name).collect();
            for before in &kinds[..i] {
                let all = required_of(Variant::spec(*before)).all(|name| members.contains(&name));
                assert!(!all, "{} may be taken for {}", kind.as_str(), before.as_str());
            }
        }
    }
}
