//! Use of a refresh token at the same time as a second use of another one of its family.

use super::environment::TestEnvironment;
use cutover_app::auth::{AuthError, Credential};
use std::thread;

#[test]
fn a_family_is_revoked_with_the_token_that_is_being_added_to_it() {
    let Some(env) = TestEnvironment::new() else { return };
    let obtain = |refresh: &str| env.app.obtain_token(&Credential::RefreshToken(refresh.to_owned()));
    let first = env.app.obtain_token(&Credential::ApiKey(env.key.clone())).unwrap().refresh_token;
    let second = obtain(&first).unwrap().refresh_token;
    // The use of the second token waits before it adds the third one, and has locked the second one by then.
    let adding = env.hold("SELECT 1 FROM api_keys FOR UPDATE");
    thread::scope(|scope| {
        let used = scope.spawn(|| obtain(&second));
        env.until_waiting(1);
        let again = scope.spawn(|| obtain(&first));
        env.until_waiting(2);
        drop(adding);
        let third = used.join().unwrap().unwrap().refresh_token;
        assert!(matches!(again.join().unwrap(), Err(AuthError::Invalid(_))));
        assert!(matches!(obtain(&third), Err(AuthError::Invalid(_))));
    });
}
