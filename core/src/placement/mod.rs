//! Where nodes stand: one file a scheme, all of them compiled into the same [`Ring`].

mod finagle;
mod position;
mod ring;
mod ring_v1;
mod scheme;

pub(crate) use finagle::label as finagle_label;
pub(crate) use position::Position;
pub(crate) use ring::{NOBODY, Ring};
pub(crate) use scheme::{build, points_depend_on_others, points_wanted};
