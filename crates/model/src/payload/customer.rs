objects! {
    /// A person who holds an account (contract 2.3).
    Customer "customer" in customers {
        /// Given name; together with the family name not `the occupier` (rule CUS-05).
        given_name: optional text(255) personal;
        /// Family name, expected to be given (rules CUS-05, CUS-08).
        family_name: optional text(255) personal;
        /// E-mail address, expected not to be made up for a test (rules 10.2, CUS-03, CUS-04).
        email: nullable text(254) personal;
        /// Mobile number, national or with country code (rules 10.1, CUS-01, CUS-02).
        mobile: nullable text(32) personal;
        /// Landline number, national or with country code (rules 10.1, CUS-01, CUS-02).
        landline: nullable text(32) personal;
        /// Day of birth, not in the future (rules CUS-06, CUS-07).
        date_of_birth: nullable date personal;
        /// Title, for example `Ms`; an open list (rule STR-19).
        title: nullable open(32, TITLES) personal;
        /// Greeting for letters to the customer.
        salutation: nullable text(128) personal;
        /// The customer's own address.
        address: optional object(Address) personal;
        /// Report or confirmation of the customer's death; absent or empty = neither.
        deceased: optional choice(Deceased) personal;
        /// True if the customer cannot read the meters; default false.
        unable_to_read_meters: optional boolean personal;
        /// The customer's role in the account, in the operator's words (rule CUS-09).
        role: nullable text(64) personal;
    }

    /// A person who looks after supplied premises (contract 2.3).
    PropertyAdministrator "property administrator" in property_administrators {
        /// Given name.
        given_name: nullable text(255) personal;
        /// Family name.
        family_name: optional text(255) personal;
        /// E-mail address (rules 10.2, CUS-03).
        email: nullable text(254) personal;
        /// Mobile number, national or with country code (rules 10.1, CUS-01, CUS-02).
        mobile: nullable text(32) personal;
        /// Landline number, national or with country code (rules 10.1, CUS-01, CUS-02).
        landline: nullable text(32) personal;
    }
}
