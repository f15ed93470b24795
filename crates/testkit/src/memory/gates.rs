use super::State;
use cutover_app::port::{AnyGates, Gate, Gates, Hold, StoreError, Supplier};
use cutover_core::SupplierCode;

impl State {
    /// Returns true if the imports of a supplier are held.
    pub(super) fn is_held(&self, supplier_id: i64) -> bool {
        self.gates.get(&supplier_id).is_some_and(|gate| gate.hold.is_some())
    }

    /// Returns true if the process is an open account of a wave.
    pub(super) fn is_open_in_wave(&self, process_id: i64) -> bool {
        self.wave_accounts.get(&process_id).is_some_and(|(_, is_open)| *is_open)
    }

    /// Returns how many accounts the wave of a supplier may still claim; `None` for all.
    pub(super) fn wave_room(&self, supplier_id: i64) -> Option<usize> {
        let gate = self.gates.get(&supplier_id)?;
        let room = gate.wave_size?.saturating_sub(gate.claimed);
        Some(usize::try_from(room).unwrap_or(usize::MAX))
    }

    fn with_code(&self, supplier_id: i64) -> Option<&Supplier> {
        self.suppliers.iter().find(|supplier| supplier.id == supplier_id)
    }
}

impl Gates for State {
    fn gate(&mut self, supplier_id: i64) -> Result<Option<Gate>, StoreError> {
        Ok(self.gates.get(&supplier_id).cloned())
    }

    fn save_gate(&mut self, gate: &Gate) -> Result<(), StoreError> {
        self.gates.insert(gate.supplier_id, gate.clone());
        Ok(())
    }

    fn remove_gate(&mut self, supplier_id: i64) -> Result<(), StoreError> {
        self.gates.remove(&supplier_id);
        Ok(())
    }

    fn hold(&mut self, supplier_id: i64) -> Result<Option<Hold>, StoreError> {
        Ok(self.gates.get(&supplier_id).and_then(|gate| gate.hold.clone()))
    }

    fn join_wave(&mut self, supplier_id: i64, process_ids: &[i64]) -> Result<u64, StoreError> {
        let joined =
            process_ids.iter().filter(|id| self.wave_accounts.insert(**id, (supplier_id, true)).is_none());
        Ok(joined.count() as u64)
    }

    fn leave_wave(&mut self, process_ids: &[i64]) -> Result<(), StoreError> {
        for id in process_ids {
            if let Some((_, is_open)) = self.wave_accounts.get_mut(id) {
                *is_open = false;
            }
        }
        Ok(())
    }

    fn is_wave_open(&mut self, supplier_id: i64) -> Result<bool, StoreError> {
        Ok(self.wave_accounts.values().any(|of| *of == (supplier_id, true)))
    }

    fn open_in_wave(&mut self, process_ids: &[i64]) -> Result<Vec<i64>, StoreError> {
        let mut open: Vec<i64> = process_ids.iter().copied().filter(|id| self.is_open_in_wave(*id)).collect();
        open.sort_unstable();
        Ok(open)
    }

    fn clear_wave(&mut self, supplier_id: i64) -> Result<(), StoreError> {
        self.wave_accounts.retain(|_, (of, _)| *of != supplier_id);
        Ok(())
    }
}

impl AnyGates for State {
    fn lock_gates(&mut self, suppliers: &[SupplierCode]) -> Result<Vec<(SupplierCode, Gate)>, StoreError> {
        let own = |gate: &Gate| {
            let code = self.with_code(gate.supplier_id)?.code.clone();
            suppliers.contains(&code).then(|| (code, gate.clone()))
        };
        Ok(self.gates.values().filter_map(own).collect())
    }

    fn holds(&mut self) -> Result<Vec<(SupplierCode, Hold)>, StoreError> {
        let hold = |gate: &Gate| Some((self.with_code(gate.supplier_id)?.code.clone(), gate.hold.clone()?));
        let mut holds: Vec<_> = self.gates.values().filter_map(hold).collect();
        holds.sort_by(|(one, _), (other, _)| one.cmp(other));
        Ok(holds)
    }

    fn ended_waves(&mut self) -> Result<Vec<SupplierCode>, StoreError> {
        let has_ended = |gate: &&Gate| {
            gate.hold.is_none()
                && self.wave_room(gate.supplier_id) == Some(0)
                && !self.wave_accounts.values().any(|of| *of == (gate.supplier_id, true))
        };
        let ended = self.gates.values().filter(has_ended);
        let mut codes: Vec<_> =
            ended.filter_map(|gate| Some(self.with_code(gate.supplier_id)?.code.clone())).collect();
        codes.sort();
        Ok(codes)
    }
}
