//! Shared code of the payment instruction endpoints.

use crate::answer::json;
use crate::call::{Answer, Call};
use crate::refusal::{Refusal, SentInstruction};
use actix_web::HttpResponse;
use cutover_app::App;
use cutover_app::additions::{AddRefused, InstructionStep, InstructionStored};
use cutover_app::auth::Caller;

/// A use case that checks an instruction before its vendor is asked.
pub(super) type Begin = fn(&App, &Caller, &[u8]) -> Result<InstructionStep, AddRefused>;

/// Answers 201 once the vendor has confirmed the instruction and it is stored. Answers 500 where other
/// endpoints answer 503: the contract has 500 for requests to be sent again unchanged.
pub(super) fn handle(call: &mut Call, begin: Begin) -> Answer<'_> {
    Box::pin(async move {
        match store(call, begin).await.map_err(Refusal::without_503)? {
            InstructionStored::Account(stored) => Ok(json(&mut HttpResponse::Created(), &stored)),
            InstructionStored::Business(stored) => Ok(json(&mut HttpResponse::Created(), &stored)),
        }
    })
}

/// Stores nothing before the vendor has answered, and holds no slot for blocking jobs meanwhile.
async fn store(call: &mut Call, begin: Begin) -> Result<InstructionStored, Refusal> {
    let caller = call.caller().await?;
    let body = call.body().await?;
    let check = move |app: &App, body: &[u8]| {
        let sent = SentInstruction::read(body);
        match begin(app, &caller, body) {
            Ok(step) => Ok((step, sent)),
            Err(refused) => Err(Refusal::from(refused).without_503().of_instruction(sent)),
        }
    };
    let (step, sent) = call.run_with(body, check).await?;
    let pending = match step {
        InstructionStep::Stored(stored) => return Ok(stored),
        InstructionStep::Ask(pending) => pending,
    };
    let stored = async {
        let verified = call.service().app.ask_vendor(&pending).await?;
        call.run(move |app| Ok(app.store_instruction(*pending, verified)?)).await
    };
    stored.await.map_err(|refusal: Refusal| refusal.without_503().of_instruction(sent))
}

#[cfg(test)]
pub(super) mod testing {
    use crate::testing::TestService;
    use cutover_app::port::{InstructionDetails, VendorError, VendorInstruction, VendorKind};

    type Said = Result<Option<VendorInstruction>, VendorError>;

    /// Adds the vendors of the fixtures.
    pub(in super::super) fn add_vendors(service: &TestService) {
        for (name, kind) in [("stripe", VendorKind::Stripe), ("gocardless", VendorKind::Gocardless)] {
            service.app.as_command().add_vendor("Acme", name, kind, "https://vendor.test", None).unwrap();
        }
    }

    pub(in super::super) fn unavailable() -> Said {
        Err(VendorError::Unavailable("SECRET".into()))
    }

    /// Returns the vendors' answers that are not a confirmation of the requested kind.
    pub(in super::super) fn answers(other_kind: &str) -> [Said; 4] {
        let other = VendorInstruction { kind: other_kind.into(), details: InstructionDetails::default() };
        [Ok(None), Ok(Some(other)), Err(VendorError::Rejected("SECRET".into())), unavailable()]
    }
}
