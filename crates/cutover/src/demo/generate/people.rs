use super::{Calendar, Dice, ago};
use serde_json::{Value, json};

const GIVEN: &[&str] = &[
    "Olivia",
    "Jack",
    "Charlotte",
    "Noah",
    "Amelia",
    "William",
    "Isla",
    "Leo",
    "Mia",
    "Henry",
    "Grace",
    "Theodore",
    "Priya",
    "Arjun",
    "Mei",
    "Wei",
    "Siobhán",
    "Zoë",
    "Linh",
    "Fatima",
    "Omar",
    "Chloé",
    "Lachlan",
    "Matilda",
];
const FAMILY: &[&str] = &[
    "Smith",
    "Jones",
    "Williams",
    "Brown",
    "Wilson",
    "Taylor",
    "Nguyen",
    "Johnson",
    "Martin",
    "White",
    "Walker",
    "Lee",
    "Singh",
    "Patel",
    "O'Brien",
    "Kelly",
    "D'Angelo",
    "Müller",
    "Papadopoulos",
    "Tran",
    "Harris",
    "Ryan",
];
const STREETS: &[&str] = &[
    "Collins",
    "Bourke",
    "Swanston",
    "Lygon",
    "Chapel",
    "George",
    "Pitt",
    "Oxford",
    "Victoria",
    "Queen",
    "Albert",
    "Rundle",
    "Glenferrie",
    "Sydney",
    "Station",
    "High",
    "Church",
    "Bridge",
];
const NOTES: &[&str] = &[
    "Customer prefers to be called after 5 pm.",
    "Moved in with a final read from the previous tenant.",
    "Asked about solar feed-in; brochure sent.",
    "Payment extension granted once, kept.",
];

/// Where an account is.
#[derive(Debug, Clone, Copy)]
pub(super) struct Place {
    pub(super) state: &'static str,
    pub(super) locality: &'static str,
    pub(super) postcode: &'static str,
    /// The area code and the first digit of its landlines.
    area: (&'static str, &'static str),
    pub(super) nmi: &'static str,
    pub(super) mirn: &'static str,
    pub(super) gas_market: &'static str,
}

const VIC: Place = Place {
    state: "VIC",
    locality: "Richmond",
    postcode: "3121",
    area: ("3", "9"),
    nmi: "6102",
    mirn: "5320",
    gas_market: "VICGAS",
};
const NSW: Place = Place {
    state: "NSW",
    locality: "Parramatta",
    postcode: "2150",
    area: ("2", "9"),
    nmi: "4102",
    mirn: "5240",
    gas_market: "NSWACTGAS",
};
const QLD: Place = Place {
    state: "QLD",
    locality: "West End",
    postcode: "4101",
    area: ("7", "3"),
    nmi: "3120",
    mirn: "5400",
    gas_market: "QLDGAS",
};
const SA: Place = Place {
    state: "SA",
    locality: "Norwood",
    postcode: "5067",
    area: ("8", "8"),
    nmi: "2001",
    mirn: "5500",
    gas_market: "SAGAS",
};

const PLACES: &[Place] = &[
    VIC,
    Place { locality: "Brunswick East", postcode: "3057", ..VIC },
    Place { locality: "Geelong", postcode: "3220", ..VIC },
    NSW,
    Place { locality: "Newtown", postcode: "2042", ..NSW },
    QLD,
    SA,
    Place { locality: "Glenelg", postcode: "5045", ..SA },
];

pub(super) fn place(dice: &mut Dice) -> Place {
    dice.pick(PLACES)
}

pub(super) fn address(dice: &mut Dice, place: &Place) -> Value {
    json!({
        "administrative_area": place.state,
        "country": "AU",
        "delivery_point_identifier": dice.number(30_000_000, 99_999_999).to_string(),
        "locality": place.locality,
        "postal_code": place.postcode,
        "structured_street_address": {
            "house_number_1": dice.number(1, 400).to_string(),
            "street_name": dice.pick(STREETS),
            "street_type": dice.pick(&["ST", "RD", "AVE", "CT", "PL", "DR"]),
        },
    })
}

/// One or two people at the address.
pub(super) fn customers(dice: &mut Dice, days: &Calendar, place: &Place, address: &Value) -> Vec<Value> {
    let family = dice.pick(FAMILY);
    let count = if dice.percent(25) { 2 } else { 1 };
    (0..count).map(|_| customer(dice, days, place, address, family)).collect()
}

fn customer(dice: &mut Dice, days: &Calendar, place: &Place, address: &Value, family: &str) -> Value {
    let (given, title) = (dice.pick(GIVEN), dice.pick(&["Ms", "Mr", "Mrs", "Dr", "Mx"]));
    let name = format!("{given}.{family}").to_lowercase();
    let name: String = name.chars().filter(|c| c.is_ascii_alphabetic() || *c == '.').collect();
    let (area, first) = place.area;
    json!({
        "given_name": given,
        "family_name": family,
        "email": format!("{name}{}@inbox.test", dice.digits(3)),
        "mobile": format!("+614{}", dice.digits(8)),
        "landline": format!("(0{area}) {first}{} {}", dice.digits(3), dice.digits(4)),
        "date_of_birth": ago(days.today, dice.number(19 * 365, 85 * 365)),
        "title": title,
        "salutation": format!("{title} {family}"),
        "address": address,
    })
}

/// The name that a bank account is in.
pub(super) fn holder(account: &Value) -> String {
    let customer = &account["customers"][0];
    let part = |name: &str| customer[name].as_str().unwrap_or_default().to_owned();
    format!("{} {}", part("given_name"), part("family_name"))
}

pub(super) fn notes(dice: &mut Dice, days: &Calendar) -> Vec<Value> {
    let count = dice.number(0, 2) as usize;
    let note = |(i, body): (usize, &&str)| json!({"body": body, "created_at": format!("{}T09:3{i}:00Z", ago(days.last_billed, 40 + i as i64))});
    NOTES.iter().cycle().skip(dice.number(0, 3) as usize).take(count).enumerate().map(note).collect()
}
