//! Where nodes stand: one file a scheme, each compiled into one of the kinds of [`Table`].

mod finagle;
mod maglev;
mod position;
mod profile;
mod ring;
mod ring_v1;
mod scheme;
mod score;
mod slots;
mod table;

pub(crate) use finagle::label as finagle_label;
pub(crate) use position::Position;
pub(crate) use ring::Ring;
pub(crate) use scheme::{build, points_depend_on_others, points_wanted};
pub(crate) use table::{Entry, List, NOBODY, Table};
