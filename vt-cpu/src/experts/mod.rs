//! Mixtures of experts: choosing them, and what is computed expert by expert.

mod groups;
mod multiply;
mod route;
mod weighted_sum;

pub use groups::{Groups, groups_scratch};
pub use multiply::{ByExpert, MOST_COLS, Road, most_rows};
pub use route::{route, route_scratch};
pub use weighted_sum::weighted_sum;
