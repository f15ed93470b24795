//! Closed lists: an enum each, with the words of the contract (fields 1.5).

/// Declares closed lists: an enum each, with the words of the contract. A word that does not say what it means,
/// such as a code of one letter, has its meaning after `means`.
macro_rules! choices {
    ($($(#[$doc:meta])* $name:ident { $($variant:ident = $text:literal $(means $meaning:literal)?),* $(,)? })*) => {
        $(
            cutover_core::string_enum! {
                concat!("a value of ", stringify!($name));
                $(#[$doc])*
                pub enum $name {
                    $(#[doc = concat!("`", $text, "`" $(, ": ", $meaning)?)] $variant = $text,)*
                }
            }

            impl $name {
                /// The words that are codes, each with its meaning.
                pub const MEANINGS: $crate::Meanings = &[$($(($text, $meaning),)?)*];
            }

            impl $crate::value::Choice for $name {
                const KNOWN: &'static [&'static str] = Self::WORDS;

                fn of(text: &str) -> Option<Self> {
                    Self::from_word(text)
                }
            }

            choice_leaf!($name);
        )*
    };
}

choices! {
    /// Channel for letters to the customer: `communication_preference` of an account.
    CommunicationPreference {
        Online = "ONLINE",
        Print = "PRINT",
    }

    /// Special form of documents: `document_accessibility` of an account; the empty string means absent.
    DocumentAccessibility {
        LargePrint = "LARGE_PRINT",
        Braille = "BRAILLE",
        Spoken = "SPOKEN",
        Empty = "",
    }

    /// News of a customer's death: `deceased` of a customer; the empty string means absent.
    Deceased {
        Reported = "Reported",
        Confirmed = "Confirmed",
        Empty = "",
    }

    /// The seven variants of a meter point: `supply_type` of the common members (fields 3.1).
    SupplyType {
        Electricity = "ELECTRICITY",
        UnmeteredElectricity = "UNMETERED_ELECTRICITY",
        UnmeteredGas = "UNMETERED_GAS",
        Gas = "GAS",
        EmbeddedElectricity = "EMBEDDED_ELECTRICITY",
        EmbeddedGas = "EMBEDDED_GAS",
        EmbeddedWater = "EMBEDDED_WATER",
    }

    /// Source of a value: `reading_type` of every electricity and gas reading that is not embedded.
    ReadingType {
        Customer = "CUSTOMER",
        Estimate = "ESTIMATE",
        Routine = "ROUTINE",
        Smart = "SMART",
        Regular = "REGULAR",
    }

    /// Dogs on the premises: `dog_code` of a metered gas point.
    GasDogCode {
        Bluff = "Bluff",
        Savage = "Savage",
        Tied = "Tied",
        Friendly = "Friendly",
        DogOk = "Dog OK",
        DogCaution = "Dog Caution",
        NoDog = "No Dog",
    }

    /// Location of a meter: `meter_position` of a metered gas point and of its meters.
    GasMeterPosition {
        Ba = "BA",
        Bg = "BG",
        Bh = "BH",
        Br = "BR",
        Bv = "BV",
        Bw = "BW",
        By = "BY",
        Ce = "CE",
        Cp = "CP",
        Dr = "DR",
        Fa = "FA",
        Fd = "FD",
        Ff = "FF",
        Fh = "FH",
        Fl = "FL",
        Fr = "FR",
        Fs = "FS",
        Fv = "FV",
        Fw = "FW",
        Ga = "GA",
        Gr = "GR",
        Kc = "KC",
        Ki = "KI",
        Ls = "LS",
        Ob = "OB",
        Pa = "PA",
        Po = "PO",
        Py = "PY",
        Rs = "RS",
        Sh = "SH",
        Sk = "SK",
        Sp = "SP",
        Sr = "SR",
        To = "TO",
        Ub = "UB",
        Uc = "UC",
        Uf = "UF",
        Ul = "UL",
        Up = "UP",
        Ur = "UR",
        Us = "US",
        Wh = "WH",
    }

    /// Kind of customer: `customer_characterisation` of gas master data and of an embedded gas point.
    CustomerCharacterisation {
        MetropolitanBusiness = "Metropolitan Business",
        MetropolitanResidential = "Metropolitan Residential",
        NonMetropolitanBusiness = "Non Metropolitan Business",
        NonMetropolitanResidential = "Non Metropolitan Residential",
    }

    /// Kind of customer: `customer_classification_code` of gas master data, `customer_classification` of an
    /// embedded gas point.
    GasCustomerClassification {
        Bus = "BUS",
        Res = "RES",
        Unknown = "UNKNOWN",
    }

    /// Status of a MIRN: `mirn_status` of gas master data, `status` of an embedded gas point.
    MirnStatus {
        Commissioned = "Commissioned",
        Decommissioned = "Decommissioned",
        Deregistered = "Deregistered",
        Registered = "Registered",
        Unclaimed = "Unclaimed",
    }

    /// Gas markets: `market` of gas master data.
    GasMarket {
        NswActGas = "NSWACTGAS",
        QldGas = "QLDGAS",
        SaGas = "SAGAS",
        VicGas = "VICGAS",
        WaGas = "WAGAS",
        ActGas = "ACTGAS",
        NtGas = "NTGAS",
    }

    /// Thresholds: `customer_classification_threshold` of gas master data, `customer_threshold` of an
    /// embedded electricity point.
    CustomerClassificationThreshold {
        Low = "LOW",
        Medium = "MEDIUM",
        High = "HIGH",
    }

    /// Parties to a gas point: `role` of a gas role assignment.
    GasRole {
        Fro = "FRO" means "financially responsible organisation",
        Db = "DB" means "distribution business",
    }

    /// Methods of billing: `billing_method` of a gas meter.
    GasBillingMethod {
        O = "O" means "ordinary",
        C = "C" means "hot water system",
        D = "D" means "deduct billing",
    }

    /// Kinds of installation: `meter_installation_type` of a gas meter.
    GasMeterInstallationType {
        M = "M" means "master meter",
        S = "S" means "sub-meter",
        O = "O" means "ordinary meter",
    }

    /// Metric or imperial: `meter_measurement_unit` of a gas meter, `gas_meter_units` of its readings,
    /// `measurement_type` of an embedded gas meter.
    GasMeasurementUnit {
        Metric = "M" means "metric",
        Imperial = "I" means "imperial",
    }

    /// Frequency of readings: `meter_read_frequency` of a gas meter.
    MeterReadFrequency {
        BiMonthly = "Bi Monthly",
        Daily = "Daily",
        Monthly = "Monthly",
        Quarterly = "Quarterly",
    }

    /// State of a meter: `meter_status` of a gas meter, `status` of an embedded gas meter.
    MeterStatus {
        TurnedOn = "Turned on",
        TurnedOff = "Turned off",
        Plugged = "Plugged",
        NoMeter = "No meter",
        TrailerAc = "Trailer AC",
        NoReg = "No Reg",
    }

    /// Kinds of meter: `meter_type` of a gas meter.
    MeterType {
        G = "G" means "gas",
        W = "W" means "hot water",
    }

    /// Kinds of supply point: `supply_point_code` of a gas meter.
    SupplyPointCode {
        Basic = "Basic",
        Interval = "Interval",
        Transmission = "Transmission",
    }

    /// Method of estimation or substitution: `estimation_substitution_type` of a gas reading.
    EstimationSubstitutionType {
        E1 = "E1" means "estimate of type 1",
        E2 = "E2" means "estimate of type 2",
        E3 = "E3" means "estimate of type 3 (agreed value)",
        E4 = "E4" means "estimate of type 4 (Queensland)",
        S1 = "S1" means "substitute of type 1",
        S2 = "S2" means "substitute of type 2",
        S3 = "S3" means "substitute of type 3 (agreed value)",
        S4 = "S4" means "substitute of type 4 (Queensland)",
    }

    /// Why a value was estimated or substituted: `estimation_substitution_reason_code` of a gas reading.
    EstimationSubstitutionReasonCode {
        Code00 = "00" means "other",
        Code01 = "01" means "meter removed",
        Code02 = "02",
        Code03 = "03",
        Code04 = "04",
        Code05 = "05",
        Code06 = "06",
        Code07 = "07" means "meter changed",
        Code08 = "08",
        Code09 = "09",
        Code10 = "10",
        Code11 = "11",
        Code12 = "12",
        Code13 = "13",
        Code14 = "14",
        Code15 = "15",
        Code16 = "16",
        Code17 = "17",
        Code18 = "18",
        Code19 = "19",
        Code20 = "20",
        Code21 = "21",
        Code22 = "22",
        Code23 = "23",
        Code24 = "24",
        Code25 = "25",
        Code26 = "26",
        Code27 = "27",
        Code28 = "28",
        Code29 = "29" means "vacant",
    }

    /// Jurisdictions: `jurisdiction` of an embedded electricity point.
    EmbeddedElectricityJurisdiction {
        All = "ALL",
        Nem = "NEM",
        Act = "ACT",
        Nsw = "NSW",
        Qld = "QLD",
        Sa = "SA",
        Tas = "TAS",
        Vic = "VIC",
        Wa = "WA",
        Wwt = "WWT",
        Nt = "NT",
        Iso = "ISO",
    }

    /// Classes of NMI: `nmi_classification` of an embedded electricity point.
    EmbeddedElectricityNmiClassification {
        Small = "SMALL",
        Large = "LARGE",
        Eprofile = "EPROFILE",
        Sample = "SAMPLE",
        Generatr = "GENERATR",
        Intercon = "INTERCON",
        Wholesal = "WHOLESAL",
        Nconuml = "NCONUML",
        Bulk = "BULK",
        Dgenratr = "DGENRATR",
        Dirs = "DIRS",
        Dwholsal = "DWHOLSAL",
        Nreg = "NREG",
        Tirs = "TIRS",
        Xboundry = "XBOUNDRY",
    }

    /// Business or residential: `customer_classification` of an embedded electricity point.
    EmbeddedElectricityCustomerClassification {
        Business = "BUSINESS",
        Residential = "RESIDENTIAL",
    }

    /// Shared isolation: `shared_isolation_flag` of an embedded electricity point.
    EmbeddedElectricitySharedIsolationFlag {
        Y = "Y" means "yes",
        N = "N" means "no",
        I = "I" means "isolated",
        U = "U" means "unknown",
    }

    /// Status of an NMI: `status` of an embedded electricity status period.
    EmbeddedElectricityStatusPeriodStatus {
        A = "A" means "active",
        D = "D" means "de-energised",
        X = "X" means "extinct",
        G = "G" means "greenfield",
    }

    /// Status of a meter: `status` of an embedded electricity meter.
    EmbeddedElectricityMeterStatus {
        C = "C" means "current",
        R = "R" means "removed",
        D = "D" means "remotely disconnected",
    }

    /// Kinds of metering installation: `meter_installation_type` of an embedded electricity meter.
    EmbeddedMeterInstallationType {
        Basic = "BASIC",
        Comms1 = "COMMS1",
        Comms2 = "COMMS2",
        Comms3 = "COMMS3",
        Comms4 = "COMMS4",
        Comms4a = "COMMS4A",
        Comms4c = "COMMS4C",
        Comms4d = "COMMS4D",
        Vicami = "VICAMI",
        Mrim = "MRIM",
        Mram = "MRAM",
    }

    /// Manual or remote: `read_type_method` of an embedded electricity meter.
    ReadTypeMethod {
        Manual = "M" means "manual",
        Remote = "R" means "remote",
    }

    /// By which medium a meter is read: `read_type_mode` of an embedded electricity meter.
    ReadTypeMode {
        T = "T" means "telephone",
        W = "W" means "wireless",
        P = "P" means "powerline",
        I = "I" means "infra-red",
        G = "G" means "galvanic",
        V = "V" means "visual",
    }

    /// Frequency of readings: `read_type_frequency` of an embedded electricity meter.
    ReadTypeFrequency {
        Code1 = "1" means "monthly",
        Code2 = "2" means "every two months",
        Code3 = "3" means "quarterly",
        D = "D" means "daily or weekly",
    }

    /// Units of a register, in lower case: `unit_of_measure` of an embedded electricity register.
    UnitOfMeasure {
        Mwh = "mwh",
        Kwh = "kwh",
        Wh = "wh",
        Mvarh = "mvarh",
        Kvarh = "kvarh",
        Varh = "varh",
        Mvar = "mvar",
        Kvar = "kvar",
        Var = "var",
        Mw = "mw",
        Kw = "kw",
        W = "w",
        Mvah = "mvah",
        Kvah = "kvah",
        Vah = "vah",
        Mva = "mva",
        Kva = "kva",
        Va = "va",
        Kv = "kv",
        V = "v",
        Ka = "ka",
        A = "a",
        Pf = "pf",
    }

    /// Status of a register: `status` of an embedded electricity register.
    EmbeddedElectricityRegisterStatus {
        C = "C" means "current",
        R = "R" means "removed",
    }

    /// Quality of a value: `reading_quality` of an embedded electricity reading.
    MeteringQuality {
        A = "A",
        E = "E",
        F = "F",
        N = "N",
        S = "S",
        V = "V",
    }

    /// Kinds of installation: `installation_type` of an embedded water point.
    EmbeddedWaterInstallationType {
        Shw = "SHW" means "serviced hot water",
        Bhw = "BHW" means "bulk hot water",
    }

    /// Temperatures of a plant: `plant_temperature` of an embedded water point; the empty string means
    /// absent.
    EmbeddedWaterPlantTemperature {
        Celsius50 = "50C",
        Celsius65 = "65C",
        Empty = "",
    }

    /// Fuel of a plant: `plant_fuel_type` of an embedded water point.
    EmbeddedWaterPlantFuelType {
        Ng = "NG" means "natural gas",
        Lp = "LP" means "liquefied petroleum",
        Electricity = "ELECTRICITY",
    }

    /// Units of volume: `meter_measurement_unit` of an embedded water meter.
    WaterMeasurementUnit {
        Decilitre = "dL",
        Decalitre = "daL",
        Kilolitre = "kL",
        Gallon = "gal",
    }

    /// Remote or on the spot: `read_method` of an embedded water meter.
    ReadMethod {
        Remote = "REMOTE",
        Manual = "MANUAL",
    }

    /// Source of a value: `reading_quality` of readings of embedded gas and water.
    ReadingQuality {
        Actual = "ACTUAL",
        Estimated = "ESTIMATED",
        Skipped = "SKIPPED",
        Customer = "CUSTOMER",
    }

    /// Connected or not: `status` of an embedded water connection period.
    EmbeddedWaterConnectionPeriodStatus {
        Connected = "CONNECTED",
        Disconnected = "DISCONNECTED",
    }

    /// Kinds of transaction: `type` of a transaction; decides the sign of its amount (rules 8.1).
    TransactionType {
        Charge = "CHARGE",
        Credit = "CREDIT",
        Payment = "PAYMENT",
        Repayment = "REPAYMENT",
        SupplyCharge = "SUPPLY_CHARGE",
    }

    /// Means of a payment: `payment_type` of a transaction; the empty string means absent (rule TXN-08).
    PaymentType {
        DdFirstCollection = "DD_FIRST_COLLECTION",
        DdRegularCollection = "DD_REGULAR_COLLECTION",
        DdRePresentation = "DD_RE_PRESENTATION",
        DdFinalCollection = "DD_FINAL_COLLECTION",
        CreditCard = "CREDIT_CARD",
        DebitCard = "DEBIT_CARD",
        Cheque = "CHEQUE",
        BacsDeposit = "BACS_DEPOSIT",
        AllpayCash = "ALLPAY_CASH",
        AllpayCard = "ALLPAY_CARD",
        AllpayCheque = "ALLPAY_CHEQUE",
        PaypointCash = "PAYPOINT_CASH",
        PaypointCard = "PAYPOINT_CARD",
        PaypointCheque = "PAYPOINT_CHEQUE",
        DcaCollection = "DCA_COLLECTION",
        BristolPound = "BRISTOL_POUND",
        Cash = "CASH",
        FuelDirect = "FUEL_DIRECT",
        Bpay = "BPAY",
        AustraliaPost = "AUSTRALIA_POST",
        Heea = "HEEA",
        Heeas = "HEEAS",
        Centrepay = "CENTREPAY",
        EapaVoucher = "EAPA_VOUCHER",
        Urgs = "URGS",
        Bpoint = "BPOINT",
        Eft = "EFT",
        ErroneousPayment = "ERRONEOUS_PAYMENT",
        Payzone = "PAYZONE",
        PostOfficeCash = "POST_OFFICE_CASH",
        PostOfficeCard = "POST_OFFICE_CARD",
        PostOfficeCheque = "POST_OFFICE_CHEQUE",
        PostOfficeSavingsStamps = "POST_OFFICE_SAVINGS_STAMPS",
        Konbini = "KONBINI",
        DirectCredit = "DIRECT_CREDIT",
        CardRefund = "CARD_REFUND",
        Bacs = "BACS",
        Empty = "",
    }

    /// Unit of a tax rate: `unit_type` of a tax item.
    TaxUnitType {
        Proportion = "PROPORTION",
        CurrencyPerKwh = "CURRENCY_PER_KWH",
    }

    /// Kinds of payment: `type` of a payment instruction, in an account payload or a separate request.
    PaymentInstructionType {
        Bpay = "BPAY",
        Card = "CARD",
        Custom = "CUSTOM",
        DirectDebit = "DIRECT_DEBIT",
        GmoRefund = "GMO_REFUND",
        PaymentSlip = "PAYMENT_SLIP",
    }

    /// Card networks: `card_payment_network` of a card.
    CardPaymentNetwork {
        Mastercard = "MASTERCARD",
        Visa = "VISA",
        Amex = "AMEX",
        Jcb = "JCB",
        Discover = "DISCOVER",
        Dankort = "DANKORT",
    }

    /// Kinds of card: `card_type` of a card.
    CardType {
        Credit = "CREDIT",
        Debit = "DEBIT",
        Prepaid = "PREPAID",
    }

    /// Frequency of payments: `frequency` of a payment schedule.
    ScheduleFrequency {
        Monthly = "MONTHLY",
        Quarterly = "QUARTERLY",
        Weekly = "WEEKLY",
        Fortnightly = "FORTNIGHTLY",
        FourWeekly = "FOUR_WEEKLY",
        Annually = "ANNUALLY",
        SixMonthly = "SIX_MONTHLY",
    }

    /// Means of payment: `means` of a payment schedule.
    PaymentMeans {
        Dd = "DD",
        Card = "CARD",
        Manual = "MANUAL",
        PaymentSlip = "PAYMENT_SLIP",
    }

    /// Kinds of business: `business_type` of a business.
    BusinessType {
        SoleTrader = "SOLE_TRADER",
        Ltd = "LTD",
        PtyLtd = "PTY_LTD",
        Partnership = "PARTNERSHIP",
        Charity = "CHARITY",
        Plc = "PLC",
        Llp = "LLP",
        Trust = "TRUST",
        TradingAs = "TRADING_AS",
        Government = "GOVERNMENT",
        NonProfit = "NON_PROFIT",
        Church = "CHURCH",
        HomeownerAssociation = "HOMEOWNER_ASSOCIATION",
        Tbd = "TBD",
    }
}
