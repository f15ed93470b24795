use crate::context::Context;
use crate::error::Error;
use crate::output::{Answer, pairs};
use clap::Args;
use cutover_app::App;
use cutover_app::account::shown_reconciliation;
use cutover_app::port::{Reconciliation, Supplier};
use cutover_model::{ControlTotals, ManifestShown, Timestamp};
use serde::Serialize;

#[derive(Debug, Args)]
pub(crate) struct ManifestArgs {
    /// Code of the supplier
    code: String,
    /// Remove the manifest, so that nothing is compared with it; the supplier can declare another
    #[arg(long)]
    remove: bool,
}

pub(super) fn run(app: &App, context: &Context, args: &ManifestArgs) -> Result<(), Error> {
    if args.remove {
        app.as_command().remove_manifest(&args.code)?;
    }
    let (supplier, figures) = app.as_command().show_reconciliation(&args.code)?;
    context.output.answer(&Compared::of(&supplier, &figures))?;
    Ok(())
}

/// What a supplier has declared, beside what it has sent and what was imported.
#[derive(Debug, Serialize)]
struct Compared {
    import_supplier: String,
    declared_at: Option<Timestamp>,
    manifest: Option<ManifestShown>,
    sent: ControlTotals,
    imported: ControlTotals,
}

impl Compared {
    fn of(supplier: &Supplier, figures: &Reconciliation) -> Self {
        let zone = supplier.settings.time_zone;
        Self {
            import_supplier: supplier.code.to_string(),
            declared_at: figures.manifest.map(|manifest| zone.local(manifest.declared_at).into()),
            manifest: shown_reconciliation(figures),
            sent: figures.sent.into(),
            imported: figures.imported.into(),
        }
    }
}

impl Answer for Compared {
    fn text(&self) -> String {
        let manifest = self.manifest.as_ref();
        let beside = |sent: &dyn ToString, imported: &dyn ToString, of: [Option<String>; 2]| match of {
            [Some(declared), Some(difference)] => format!(
                "{declared} declared, {} sent ({difference}), {} imported",
                sent.to_string(),
                imported.to_string()
            ),
            _ => format!("{} sent, {} imported", sent.to_string(), imported.to_string()),
        };
        macro_rules! row {
            ($member:ident) => {
                beside(
                    &self.sent.$member,
                    &self.imported.$member,
                    [
                        manifest.map(|m| m.declared.$member.to_string()),
                        manifest.map(|m| m.difference.$member.to_string()),
                    ],
                )
            };
        }
        pairs(&[
            ("supplier", self.import_supplier.clone()),
            ("declared", self.declared_at.as_ref().map_or("nothing".to_owned(), ToString::to_string)),
            ("accounts", row!(accounts)),
            ("ledger balance", row!(ledger_balance)),
            ("readings", row!(readings)),
            ("transactions", row!(transactions)),
            ("documents", row!(documents)),
        ])
    }
}
