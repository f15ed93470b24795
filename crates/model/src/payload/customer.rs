objects! {
    /// Customer.
    Customer "customer" {
        /// Given name.
        given_name: optional text(255);
        /// Family name.
        family_name: optional text(255);
        /// Email.
        email: nullable text(254);
        /// Mobile.
        mobile: nullable text(32);
        /// Landline.
        landline: nullable text(32);
        /// Date of birth.
        date_of_birth: nullable date;
        /// Title.
        title: nullable open(32, TITLES);
        /// Salutation.
        salutation: nullable text(128);
        /// Address.
        address: optional object(Address);
        /// Deceased.
        deceased: optional choice(Deceased);
        /// Whether: unable to read meters: default false.
        unable_to_read_meters: optional boolean;
        /// Role.
        role: nullable text(64);
    }

    /// Property administrator.
    PropertyAdministrator "property administrator" {
        /// Given name.
        given_name: nullable text(255);
        /// Family name.
        family_name: optional text(255);
        /// Email.
        email: nullable text(254);
        /// Mobile.
        mobile: nullable text(32);
        /// Landline.
        landline: nullable text(32);
    }
}
