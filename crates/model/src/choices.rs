//! Closed lists: an enum each, with the words of the contract (fields 1.5).

choices! {
    /// The `communication_preference` of an account.
    CommunicationPreference {
        Online = "ONLINE",
        Print = "PRINT",
    }

    /// The `document_accessibility` of an account.
    DocumentAccessibility {
        LargePrint = "LARGE_PRINT",
        Braille = "BRAILLE",
        Spoken = "SPOKEN",
        Empty = "",
    }

    /// The `deceased` of a customer.
    Deceased {
        Reported = "Reported",
        Confirmed = "Confirmed",
        Empty = "",
    }

    /// The `supply_type` of a meter point, common fields.
    SupplyType {
        Electricity = "ELECTRICITY",
        UnmeteredElectricity = "UNMETERED_ELECTRICITY",
        UnmeteredGas = "UNMETERED_GAS",
        Gas = "GAS",
        EmbeddedElectricity = "EMBEDDED_ELECTRICITY",
        EmbeddedGas = "EMBEDDED_GAS",
        EmbeddedWater = "EMBEDDED_WATER",
    }

    /// The `reading_type` of an electricity transfer reading.
    ReadingType {
        Customer = "CUSTOMER",
        Estimate = "ESTIMATE",
        Routine = "ROUTINE",
        Smart = "SMART",
        Regular = "REGULAR",
    }

    /// The `dog_code` of a meter point, GAS.
    GasDogCode {
        Bluff = "Bluff",
        Savage = "Savage",
        Tied = "Tied",
        Friendly = "Friendly",
        DogOK = "Dog OK",
        DogCaution = "Dog Caution",
        NoDog = "No Dog",
    }

    /// The `meter_position` of a meter point, GAS.
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

    /// The `customer_characterisation` of a gas master data.
    CustomerCharacterisation {
        MetropolitanBusiness = "Metropolitan Business",
        MetropolitanResidential = "Metropolitan Residential",
        NonMetropolitanBusiness = "Non Metropolitan Business",
        NonMetropolitanResidential = "Non Metropolitan Residential",
    }

    /// The `customer_classification_code` of a gas master data.
    GasCustomerClassification {
        Bus = "BUS",
        Res = "RES",
        Unknown = "UNKNOWN",
    }

    /// The `mirn_status` of a gas master data.
    MirnStatus {
        Commissioned = "Commissioned",
        Decommissioned = "Decommissioned",
        Deregistered = "Deregistered",
        Registered = "Registered",
        Unclaimed = "Unclaimed",
    }

    /// The `market` of a gas master data.
    GasMarket {
        Nswactgas = "NSWACTGAS",
        Qldgas = "QLDGAS",
        Sagas = "SAGAS",
        Vicgas = "VICGAS",
        Wagas = "WAGAS",
        Actgas = "ACTGAS",
        Ntgas = "NTGAS",
    }

    /// The `customer_classification_threshold` of a gas master data.
    CustomerClassificationThreshold {
        Low = "LOW",
        Medium = "MEDIUM",
        High = "HIGH",
    }

    /// The `role` of a gas role assignment.
    GasRole {
        Fro = "FRO",
        Db = "DB",
    }

    /// The `billing_method` of a gas meter.
    GasBillingMethod {
        O = "O",
        C = "C",
        D = "D",
    }

    /// The `meter_installation_type` of a gas meter.
    GasMeterInstallationType {
        M = "M",
        S = "S",
        O = "O",
    }

    /// The `meter_measurement_unit` of a gas meter.
    GasMeasurementUnit {
        M = "M",
        I = "I",
    }

    /// The `meter_read_frequency` of a gas meter.
    MeterReadFrequency {
        BiMonthly = "Bi Monthly",
        Daily = "Daily",
        Monthly = "Monthly",
        Quarterly = "Quarterly",
    }

    /// The `meter_status` of a gas meter.
    MeterStatus {
        TurnedOn = "Turned on",
        TurnedOff = "Turned off",
        Plugged = "Plugged",
        NoMeter = "No meter",
        TrailerAC = "Trailer AC",
        NoReg = "No Reg",
    }

    /// The `meter_type` of a gas meter.
    MeterType {
        G = "G",
        W = "W",
    }

    /// The `supply_point_code` of a gas meter.
    SupplyPointCode {
        Basic = "Basic",
        Interval = "Interval",
        Transmission = "Transmission",
    }

    /// The `estimation_substitution_type` of a gas transfer reading.
    EstimationSubstitutionType {
        E1 = "E1",
        E2 = "E2",
        E3 = "E3",
        E4 = "E4",
        S1 = "S1",
        S2 = "S2",
        S3 = "S3",
        S4 = "S4",
    }

    /// The `estimation_substitution_reason_code` of a gas transfer reading.
    EstimationSubstitutionReasonCode {
        Code00 = "00",
        Code01 = "01",
        Code02 = "02",
        Code03 = "03",
        Code04 = "04",
        Code05 = "05",
        Code06 = "06",
        Code07 = "07",
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
        Code29 = "29",
    }

    /// The `jurisdiction` of a meter point, EMBEDDED_ELECTRICITY.
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

    /// The `nmi_classification` of a meter point, EMBEDDED_ELECTRICITY.
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

    /// The `customer_classification` of a meter point, EMBEDDED_ELECTRICITY.
    EmbeddedElectricityCustomerClassification {
        Business = "BUSINESS",
        Residential = "RESIDENTIAL",
    }

    /// The `shared_isolation_flag` of a meter point, EMBEDDED_ELECTRICITY.
    EmbeddedElectricitySharedIsolationFlag {
        Y = "Y",
        N = "N",
        I = "I",
        U = "U",
    }

    /// The `status` of an embedded electricity status period.
    EmbeddedElectricityStatusPeriodStatus {
        A = "A",
        D = "D",
        X = "X",
        G = "G",
    }

    /// The `status` of an embedded electricity meter.
    EmbeddedElectricityMeterStatus {
        C = "C",
        R = "R",
        D = "D",
    }

    /// The `meter_installation_type` of an embedded electricity meter.
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

    /// The `read_type_method` of an embedded electricity meter.
    ReadTypeMethod {
        M = "M",
        R = "R",
    }

    /// The `read_type_mode` of an embedded electricity meter.
    ReadTypeMode {
        T = "T",
        W = "W",
        P = "P",
        I = "I",
        G = "G",
        V = "V",
    }

    /// The `read_type_frequency` of an embedded electricity meter.
    ReadTypeFrequency {
        Code1 = "1",
        Code2 = "2",
        Code3 = "3",
        D = "D",
    }

    /// The `unit_of_measure` of an embedded electricity register.
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

    /// The `status` of an embedded electricity register.
    EmbeddedElectricityRegisterStatus {
        C = "C",
        R = "R",
    }

    /// The `reading_quality` of an embedded electricity transfer reading.
    MeteringQuality {
        A = "A",
        E = "E",
        F = "F",
        N = "N",
        S = "S",
        V = "V",
    }

    /// The `installation_type` of a meter point, EMBEDDED_WATER.
    EmbeddedWaterInstallationType {
        Shw = "SHW",
        Bhw = "BHW",
    }

    /// The `plant_temperature` of a meter point, EMBEDDED_WATER.
    EmbeddedWaterPlantTemperature {
        Code50c = "50C",
        Code65c = "65C",
        Empty = "",
    }

    /// The `plant_fuel_type` of a meter point, EMBEDDED_WATER.
    EmbeddedWaterPlantFuelType {
        Ng = "NG",
        Lp = "LP",
        Electricity = "ELECTRICITY",
    }

    /// The `meter_measurement_unit` of an embedded water meter.
    WaterMeasurementUnit {
        DL = "dL",
        DaL = "daL",
        KL = "kL",
        Gal = "gal",
    }

    /// The `read_method` of an embedded water meter.
    ReadMethod {
        Remote = "REMOTE",
        Manual = "MANUAL",
    }

    /// The `reading_quality` of an embedded gas or water reading.
    ReadingQuality {
        Actual = "ACTUAL",
        Estimated = "ESTIMATED",
        Skipped = "SKIPPED",
        Customer = "CUSTOMER",
    }

    /// The `status` of an embedded water connection period.
    EmbeddedWaterConnectionPeriodStatus {
        Connected = "CONNECTED",
        Disconnected = "DISCONNECTED",
    }

    /// The `type` of a transaction.
    TransactionType {
        Charge = "CHARGE",
        Credit = "CREDIT",
        Payment = "PAYMENT",
        Repayment = "REPAYMENT",
        SupplyCharge = "SUPPLY_CHARGE",
    }

    /// The `payment_type` of a transaction.
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

    /// The `unit_type` of a tax item.
    TaxUnitType {
        Proportion = "PROPORTION",
        CurrencyPerKwh = "CURRENCY_PER_KWH",
    }

    /// The `type` of an account payment instruction.
    PaymentInstructionType {
        Bpay = "BPAY",
        Card = "CARD",
        Custom = "CUSTOM",
        DirectDebit = "DIRECT_DEBIT",
        GmoRefund = "GMO_REFUND",
        PaymentSlip = "PAYMENT_SLIP",
    }

    /// The `card_payment_network` of a card.
    CardPaymentNetwork {
        Mastercard = "MASTERCARD",
        Visa = "VISA",
        Amex = "AMEX",
        Jcb = "JCB",
        Discover = "DISCOVER",
        Dankort = "DANKORT",
    }

    /// The `card_type` of a card.
    CardType {
        Credit = "CREDIT",
        Debit = "DEBIT",
        Prepaid = "PREPAID",
    }

    /// The `frequency` of a payment schedule.
    ScheduleFrequency {
        Monthly = "MONTHLY",
        Quarterly = "QUARTERLY",
        Weekly = "WEEKLY",
        Fortnightly = "FORTNIGHTLY",
        FourWeekly = "FOUR_WEEKLY",
        Annually = "ANNUALLY",
        SixMonthly = "SIX_MONTHLY",
    }

    /// The `means` of a payment schedule.
    PaymentMeans {
        Dd = "DD",
        Card = "CARD",
        Manual = "MANUAL",
        PaymentSlip = "PAYMENT_SLIP",
    }

    /// The `business_type` of a business.
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
