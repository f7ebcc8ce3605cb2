//! The constants whose numbers are the core's. They are written nowhere in `ffi/`, so they cannot differ.

use std::fmt::Write;

use shardway_core::{Admission, ErrorCode, EventKind, Outcome, Publish};

/// The `#define` lines, with what each means.
pub(crate) fn define(abi_version: &str) -> String {
    let mut text = String::new();
    let mut family = |title: &str, prefix: &str, members: &[(&str, i32, String)]| {
        let _ = writeln!(text, "/* {title} */");
        for (name, number, meaning) in members {
            let _ = writeln!(text, "/** {meaning} */\n#define SHARDWAY_{prefix}{} {number}", upper(name));
        }
        text.push('\n');
    };
    let plain = |name: &'static str, number: i32, meaning: &str| (name, number, meaning.to_owned());

    let errors: Vec<_> = ErrorCode::ALL
        .into_iter()
        .map(|code| (code.name(), code.as_i32(), format!("{}: {}.", code.name(), code.advice())))
        .collect();
    family("Statuses other than SHARDWAY_OK. Numbers between them may come; none changes.", "", &errors);
    family(
        "What a publish did.",
        "PUBLISH_",
        &[
            plain(Publish::Published.name(), Publish::Published as i32, "The topology is in force."),
            plain(
                Publish::Unchanged.name(),
                Publish::Unchanged as i32,
                "It was in force already; nothing was rebuilt.",
            ),
            plain(
                Publish::KeptOld.name(),
                Publish::KeptOld as i32,
                "It has no nodes, or no instance for its partitions: the old one stays in force.",
            ),
        ],
    );
    family(
        "How a request ended.",
        "OUTCOME_",
        &[
            plain(
                Outcome::Success.name(),
                Outcome::Success as i32,
                "The node answered. A declared exception is an answer.",
            ),
            plain(Outcome::Failure.name(), Outcome::Failure as i32, "The node did not answer, or with garbage."),
            plain(
                Outcome::Ignored.name(),
                Outcome::Ignored as i32,
                "It says nothing about the node: the caller cancelled.",
            ),
        ],
    );
    family(
        "Whether a request may go to a node.",
        "ADMISSION_",
        &[
            plain(Admission::Send.name(), Admission::Send as i32, "Send it."),
            plain(
                Admission::Probe.name(),
                Admission::Probe as i32,
                "Send it; it is the one probe: report how it ended.",
            ),
            plain(
                Admission::FailFast.name(),
                Admission::FailFast as i32,
                "Do not send it: the node is dead, or being probed.",
            ),
        ],
    );
    family(
        "What happened to a node.",
        "EVENT_",
        &[
            plain(EventKind::Ejected.name(), EventKind::Ejected as i32, "It was marked dead."),
            plain(EventKind::Probing.name(), EventKind::Probing as i32, "Its time is up; it may be probed."),
            plain(EventKind::Revived.name(), EventKind::Revived as i32, "It answered its probe and is live."),
        ],
    );
    let _ = write!(
        text,
        "/* Versions of this header; those of the library that is loaded may differ. */\n\
         /** See shardway_version. */\n#define SHARDWAY_VERSION \"{}\"\n\
         /** See shardway_abi_version. */\n#define SHARDWAY_ABI_VERSION {abi_version}\n\n\
         /** What a shardway_error_t begins with: `shardway_error_t error = SHARDWAY_ERROR_INIT;` */\n\
         #define SHARDWAY_ERROR_INIT {{ sizeof(shardway_error_t), 0, 0, 0, 0, {{0}}, {{0}} }}\n",
        env!("CARGO_PKG_VERSION"),
    );
    text
}

/// `NoShardId` or `kept_old` as `NO_SHARD_ID` and `KEPT_OLD`.
fn upper(name: &str) -> String {
    let mut upper = String::new();
    for (place, letter) in name.char_indices() {
        if place > 0 && letter.is_ascii_uppercase() {
            upper.push('_');
        }
        upper.push(letter.to_ascii_uppercase());
    }
    upper
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_become_constants() {
        assert_eq!(upper("NoShardId"), "NO_SHARD_ID");
        assert_eq!(upper("kept_old"), "KEPT_OLD");
        assert_eq!(upper("Internal"), "INTERNAL");
    }

    #[test]
    fn every_error_of_the_core_has_its_line() {
        let text = define("0");
        for code in ErrorCode::ALL {
            assert!(text.contains(&format!("#define SHARDWAY_{} {}\n", upper(code.name()), code.as_i32())), "{code:?}");
        }
    }
}
