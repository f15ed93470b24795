use super::State;
use chrono::{DateTime, Utc};
use cutover_app::port::{Node, Nodes, StoreError};

impl Nodes for State {
    fn installation(&mut self) -> Result<String, StoreError> {
        Ok("0123456789abcdef0123456789abcdef".to_owned())
    }

    fn database_history(&mut self) -> Result<String, StoreError> {
        Ok("fedcba9876543210fedcba9876543210".to_owned())
    }

    fn put_node(&mut self, node: &Node) -> Result<(), StoreError> {
        self.nodes.retain(|other| other.id != node.id);
        self.nodes.push(node.clone());
        self.nodes.sort_by(|a, b| (a.started_at, &a.id).cmp(&(b.started_at, &b.id)));
        Ok(())
    }

    fn nodes_seen_since(&mut self, since: DateTime<Utc>) -> Result<Vec<Node>, StoreError> {
        Ok(self.nodes.iter().filter(|node| node.seen_at >= since).cloned().collect())
    }

    fn remove_node(&mut self, id: &str) -> Result<(), StoreError> {
        self.nodes.retain(|node| node.id != id);
        Ok(())
    }

    fn remove_nodes_seen_before(&mut self, before: DateTime<Utc>) -> Result<usize, StoreError> {
        let all = self.nodes.len();
        self.nodes.retain(|node| node.seen_at >= before);
        Ok(all - self.nodes.len())
    }
}
