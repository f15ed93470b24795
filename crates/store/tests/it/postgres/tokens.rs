//! A refresh token that is used, and one of its family that is used again, at the same time.

use super::house::House;
use cutover_app::auth::{Credential, TokenRefused};
use std::thread;

#[test]
fn a_family_is_revoked_with_the_token_that_is_being_added_to_it() {
    let Some(house) = House::new() else { return };
    let obtain = |refresh: &str| house.app.obtain_token(&Credential::RefreshToken(refresh.to_owned()));
    let first = house.app.obtain_token(&Credential::ApiKey(house.key.clone())).unwrap().refresh_token;
    let second = obtain(&first).unwrap().refresh_token;
    // Whoever uses the second token has to wait with adding the third, and has locked the second by then.
    let adding = house.hold("SELECT 1 FROM api_keys FOR UPDATE");
    thread::scope(|scope| {
        let used = scope.spawn(|| obtain(&second));
        house.until_waiting(1);
        let again = scope.spawn(|| obtain(&first));
        house.until_waiting(2);
        drop(adding);
        let third = used.join().unwrap().unwrap().refresh_token;
        assert!(matches!(again.join().unwrap(), Err(TokenRefused::Invalid)));
        assert!(matches!(obtain(&third), Err(TokenRefused::Invalid)));
    });
}
