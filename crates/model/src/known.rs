//! Known values of open lists; any other value gives the warning of STR-19 (fields, appendix A).

use crate::decode::Known;

/// Known values of `sales_channel` of an account.
pub const SALES_CHANNELS: Known = &[
    "DIRECT",
    "PRICE_COMPARISON",
    "TELESALES",
    "DIGI_TELESALES",
    "EVENTS",
    "FIELD_SALES",
    "AGGREGATOR",
    "PARTNERSHIPS",
    "NEW_TENANT",
    "MOVE_IN",
    "WORKPLACE_POP_UP",
    "BROKER",
    "PARENT_POWER",
    "PEOPLE_POWER",
    "GIFT_OF_KIT",
    "HIGH_REFERRER",
    "SUPPLIER_OF_LAST_RESORT",
    "ACQUISITION",
    "LANDLORD",
    "DEBT_COLLECTION_AGENCY",
];

/// Known values of `title` of a customer.
pub const TITLES: Known =
    &["Dr", "Fr", "Lady", "Miss", "Mr", "Mrs", "Ms", "Mx", "Prof", "Rabbi", "Rev", "Sir", "Sr"];

/// Known values of `flat_or_unit_type` of every address, gas included.
pub const FLAT_OR_UNIT_TYPES: Known = &[
    "ANT", "APT", "ATM", "BBQ", "BLCK", "BTSD", "BLDG", "BNGW", "CAGE", "CARP", "CARS", "CLUB", "COOL",
    "CTGE", "DUP", "FY", "F", "GRGE", "HALL", "HSE", "KSK", "LSE", "LBBY", "LOFT", "LOT", "MSNT", "MB",
    "OFF", "PTHS", "REAR", "RESV", "RM", "SEC", "SHED", "SHOP", "SHRM", "SIGN", "SITE", "SL", "STOR", "STR",
    "STU", "SUBS", "SE", "TNCY", "TWR", "TNHS", "U", "VLT", "VLLA", "WARD", "WE", "WKSH",
];

/// Known values of `street_type` of every address, gas included.
pub const STREET_TYPES: Known = &[
    "ACCS", "ACRE", "ALLY", "ALWY", "AMBL", "ANCG", "ANX", "APP", "ARC", "ARTL", "ART", "AVE", "BA", "BANK",
    "BASN", "BAY", "BCH", "BEND", "BLK", "BWLK", "BVD", "BVDE", "BOWL", "BRCE", "BRAE", "BRAN", "BRK",
    "BRET", "BDGE", "BDWY", "BROW", "BYPA", "BYWY", "CAUS", "CTR", "CNWY", "CH", "CIR", "CLT", "CCT", "CRCS",
    "CL", "CLR", "CLDE", "CMMN", "CNCD", "CON", "CNN", "CPS", "CNR", "CSO", "CRSE", "CT", "CTYD", "COVE",
    "CRES", "CRST", "CRF", "CRK", "CRSS", "CRSG", "CRD", "COWY", "CUWY", "CDS", "CUT", "CTTG", "DALE",
    "DASH", "DELL", "DENE", "DEVN", "DIP", "DSTR", "DIV", "DOCK", "DOM", "DOWN", "DWNS", "DR", "DRWY",
    "ESMT", "EDGE", "ELB", "END", "ENT", "ESP", "EST", "EXP", "EXTN", "FAWY", "FTRK", "FBRK", "FLNE", "FITR",
    "FLAT", "FLTS", "FOLW", "FTWY", "FORD", "FSHR", "FK", "FORM", "FWY", "FRNT", "FRTG", "GAP", "GDN",
    "GDNS", "GTE", "GTES", "GTWY", "GLD", "GLEN", "GRA", "GRN", "GRND", "GR", "GLY", "HRBR", "HVN", "HETH",
    "HTS", "HRD", "HWY", "HILL", "HLLW", "HUB", "INLT", "INTG", "INTN", "ISLD", "JNC", "KEY", "KEYS", "KNOL",
    "LADR", "LDG", "LANE", "LNWY", "LEAD", "LEDR", "LEES", "LINE", "LINK", "LT", "LKT", "LOOP", "LWR",
    "LYNN", "MALL", "MANR", "MART", "MEAD", "MNDR", "MEW", "MEWS", "MILE", "MWY", "MT", "NOOK", "NTH",
    "NULL", "OTLT", "OTLK", "OVAL", "PLMS", "PDE", "PRDS", "PARK", "PKLD", "PKWY", "PART", "PASS", "PSGE",
    "PATH", "PHWY", "PSLA", "PIAZ", "PL", "PLAT", "PLZA", "PKT", "PNT", "PORT", "PREC", "PROM", "PRST",
    "QUAD", "QDGL", "QDRT", "QY", "QYS", "RMBL", "RAMP", "RNGE", "RCH", "REEF", "RES", "REST", "RTT", "RTRN",
    "RIDE", "RDGE", "RGWY", "ROWY", "RING", "RISE", "RSNG", "RVR", "RVWY", "RVRA", "RD", "RDS", "RDSD",
    "RDWY", "RNDE", "RSBL", "RTY", "RND", "RTE", "ROW", "ROWE", "RUE", "RUN", "SWY", "SHUN", "SDNG", "SKLN",
    "SLPE", "SND", "STH", "SPUR", "SQ", "STRS", "SHWY", "STPS", "STRT", "STAI", "STRA", "ST", "STRP", "SBWY",
    "TARN", "TCE", "THOR", "THRU", "TLWY", "TOP", "TOR", "TWRS", "TRK", "TRL", "TRLR", "TMWY", "TVSE", "TRI",
    "TKWY", "TUNL", "TURN", "UPAS", "UPR", "VALE", "VLLY", "VDCT", "VIEW", "VWS", "VLL", "VLGE", "VLLS",
    "VSTA", "VUE", "WADE", "WALK", "WKWY", "WTRS", "WTWY", "WAY", "WHRF", "WOOD", "WDS", "WYND", "YARD",
];

/// Known values of `floor_or_level_type` of a gas address.
pub const FLOOR_OR_LEVEL_TYPES: Known =
    &["B", "FL", "G", "L", "LG", "M", "LL", "OD", "P", "PTHS", "PLF", "PDM", "RT", "SB", "UG", "LB"];

/// Known values of `street_suffix` of a gas address's street.
pub const STREET_SUFFIXES: Known = &[
    "CN", "DE", "E", "EX", "IN", "LR", "ML", "N", "NE", "NW", "OF", "ON", "OT", "OP", "S", "SE", "SW", "UP",
    "W",
];

/// Known values of `distribution_tariff` of gas master data.
pub const GAS_TARIFFS: Known = &["Volume", "Volume High", "Volume Boundary", "Demand", "Commercial"];

/// Known values of `appliance_type` of an unmetered electricity point.
pub const ELECTRIC_APPLIANCES: Known = &["AIR_CONDITIONING"];

/// Known values of `appliance_type` of an unmetered gas point.
pub const GAS_APPLIANCES: Known = &["COOKTOP", "HEATER", "MANTLE_LIGHT", "BARBEQUE_BBQ"];

/// Known values of `distribution_tariff` of an embedded gas point.
pub const EMBEDDED_GAS_TARIFFS: Known = &["Volume", "Demand", "Commercial"];

/// Known values of `location` of an embedded gas or water meter.
pub const METER_LOCATIONS: Known = &[
    "ACCESS_HATCH",
    "BACK_GATE",
    "BACK_OF_HOUSE",
    "BACK_VERANDAH",
    "BACK_WALL",
    "BACK_YARD",
    "BASEMENT",
    "BATHROOM",
    "CEILING_SPACE",
    "CELLAR",
    "CUPBOARD",
    "DINING_ROOM",
    "FACTORY",
    "FIREHOUSE_REEL_CUPBOARD",
    "FRONT_DOOR",
    "FRONT_FENCE",
    "FRONT_HOUSE",
    "FRONT_LEFT_SIDE",
    "FRONT_RIGHT_SIDE",
    "FRONT_VERANDAH",
    "FRONT_WALL",
    "FRONT_WALL_SHOP",
    "GARAGE",
    "GROUP_OF_METERS",
    "HALLWAY_CUPBOARD",
    "KITCHEN",
    "KITCHEN_CUPBOARD",
    "LAUNDRY_CUPBOARD",
    "LAUNDRY_HATCH",
    "LEFT_SIDE",
    "OTHER",
    "OVER_BACK_DOOR",
    "PANTRY",
    "PASSAGE",
    "PORCH",
    "REFUSE_ROOM",
    "RIGHT_SIDE",
    "SEE_ACCESS_DETAILS",
    "SHED",
    "SHOP",
    "STORE_ROOM",
    "TOILET",
    "UNDER_BACK_HOUSE",
    "UNDER_COUNTER",
    "UNDER_FRONT_HOUSE",
    "UNDER_LEFT_HOUSE",
    "UNDER_RIGHT_HOUSE",
    "UNDER_SINK",
    "UNDER_STAIRS",
    "UNKNOWN",
    "UPSTAIRS",
    "WASH_HOUSE",
];

/// Known values of `reason` of a transaction, of every type: the two most frequent first.
pub const TRANSACTION_REASONS: Known = &[
    "IMPORTED_CHARGE",
    "IMPORTED_CREDIT",
    "ACCOUNT_CHARGE_PAYMENT",
    "BALANCE_ADJUSTMENT",
    "GENERAL_CREDIT",
    "SSD_PAYMENT",
    "DEBT_REPAYMENT",
    "PREPAY_RECORD",
    "DEPOSIT",
    "SETTLEMENT",
    "BALANCE_THRESHOLD_CROSSED",
    "BILL_ISSUED",
    "PAYMENT_PLAN",
    "REGULAR_SCHEDULE",
    "REPAYMENT_CORRECTION",
    "FULL_CREDIT_REFUND",
    "PARTIAL_CREDIT_REFUND",
    "FULL_PREPAYMENT_REFUND",
    "PARTIAL_REPAYMENT_REFUND",
    "FINAL_BALANCE_SETTLEMENT",
    "MISTAKEN_PAYMENT_TAKEN",
    "PAYMENT_CORRECTION",
    "COMPLAINT_COMPENSATION",
    "INDEMNITY_CLAIM",
    "FAILED_PAYMENT",
    "FEED_IN_TARIFF_PAYMENT",
    "DEPOSIT_RETURN",
    "LATE_FAILED_PAYMENT",
    "CANCELED_BILL",
    "BILLING_ADJUSTMENT",
    "CHARGEBACK",
    "DEFAULT",
    "BALANCE_TRANSFER",
    "DATA_IMPORT_BALANCE_TRANSFER",
    "SUPPLEMENTARY_LEDGER_BALANCE_TRANSFER",
    "REVERSED_ACCOUNT_CREDIT",
    "LATE_PAYMENT_FEE",
    "OUTGOING_BALANCE_TRANSFER",
    "PAPER_BILL_FEE",
    "PENALTY_CHARGE",
    "RECONNECTION_CHARGE",
    "REFUND",
    "EARLY_TERMINATION_FEE",
    "MIGRATION_ADJUSTMENT",
    "WRITE_BACK",
    "BANK_TRANSFER",
    "CUSTOMER_SERVICE_GESTURE",
    "CUSTOMER_REIMBURSEMENT",
    "DIRECT_DEBIT_DISCOUNT",
    "GOODWILL_PAYMENT",
    "JOINING_REWARD",
    "LOYALTY_REWARD",
    "REVERSED_ACCOUNT_CHARGE",
    "STAFF_DISCOUNT",
];

/// Known values of `tax_type` of a tax item.
pub const TAX_TYPES: Known = &["GST", "VAT"];

/// Known values of `event_type` of an account event.
pub const EVENT_TYPES: Known = &[
    "BEST_OFFER_CHECKED_IN_SAP",
    "MIXED_COMMS_PREF_IN_SAP",
    "PRICE_CHANGE_SENT_IN_SAP",
    "SHARED_EMAIL_7",
    "SUPPRESS_MIGRATION_COMMS",
];

/// Known values of `category` of an account event.
pub const EVENT_CATEGORIES: Known = &["communications"];

/// Known values of `subcategory` of an account event.
pub const EVENT_SUBCATEGORIES: Known =
    &["best_offer", "mixed_comms_preference", "price_change", "migration_comms"];

/// Known values of `key` of a business detail.
pub const BUSINESS_DETAIL_KEYS: Known = &["abn", "acn", "frmp", "anzsic"];
