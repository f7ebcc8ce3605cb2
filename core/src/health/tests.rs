use super::*;
use proptest::prelude::*;

const POLICY: FailureAccrual =
    FailureAccrual { consecutive_failures: 3, backoff_min_ms: 100, backoff_max_ms: 1_000, probe_timeout_ms: 50 };

fn fail(node: &mut NodeHealth, now_ms: u64) -> Option<Change> {
    node.report(&POLICY, Outcome::Failure, now_ms, now_ms, 7)
}

/// Fails a live node until it is dead; gives the end of its death.
fn kill(node: &mut NodeHealth, now_ms: u64) -> u64 {
    for _ in 1..POLICY.consecutive_failures {
        assert_eq!(fail(node, now_ms), None);
    }
    let change = fail(node, now_ms).unwrap();
    assert_eq!((change.kind, change.at_ms), (EventKind::Ejected, now_ms));
    change.until_ms
}

#[test]
fn dies_at_exactly_the_third_failure_in_a_row_each_time() {
    let mut node = NodeHealth::default();
    for round in 0..5 {
        let now_ms = round * 10_000;
        let until_ms = kill(&mut node, now_ms);
        assert!(node.is_dead());
        assert_eq!(node.tick(&POLICY, until_ms).unwrap().kind, EventKind::Probing);
        assert_eq!(node.admit(until_ms), Admission::Probe);
        let revived = node.report(&POLICY, Outcome::Success, until_ms, until_ms + 1, 7).unwrap();
        assert_eq!(revived.kind, EventKind::Revived);
        assert!(node.is_clean());
    }
}

#[test]
fn a_success_in_between_starts_the_count_anew() {
    let mut node = NodeHealth::default();
    fail(&mut node, 0);
    fail(&mut node, 1);
    assert!(!node.is_clean());
    node.report(&POLICY, Outcome::Success, 2, 2, 7);
    assert!(node.is_clean());
    kill(&mut node, 3);
}

#[test]
fn what_the_caller_gave_up_says_nothing() {
    let mut node = NodeHealth::default();
    for _ in 0..100 {
        assert_eq!(node.report(&POLICY, Outcome::Ignored, 0, 0, 7), None);
    }
    assert!(node.is_clean());
}

#[test]
fn one_probe_and_no_more_until_it_is_reported_or_late() {
    let mut node = NodeHealth::default();
    let until_ms = kill(&mut node, 0);
    assert_eq!(node.admit(until_ms - 1), Admission::FailFast);
    node.tick(&POLICY, until_ms);
    assert_eq!(node.admit(until_ms), Admission::Probe);
    assert_eq!(node.admit(until_ms + 1), Admission::FailFast);
    assert_eq!(node.next_tick_ms(&POLICY), Some(until_ms + 50));
    assert_eq!(node.tick(&POLICY, until_ms + 49), None);
    assert_eq!(node.admit(until_ms + 49), Admission::FailFast);
    assert_eq!(node.tick(&POLICY, until_ms + 50), None);
    assert_eq!(node.admit(until_ms + 50), Admission::Probe);
    node.report(&POLICY, Outcome::Ignored, until_ms + 50, until_ms + 51, 7);
    assert_eq!(node.admit(until_ms + 51), Admission::Probe);
}

#[test]
fn late_answers_of_before_the_death_change_nothing() {
    let mut node = NodeHealth::default();
    let until_ms = kill(&mut node, 10);
    assert_eq!(node.report(&POLICY, Outcome::Success, 9, 20, 7), None);
    node.tick(&POLICY, until_ms);
    let before = node;
    assert_eq!(node.report(&POLICY, Outcome::Failure, 9, until_ms + 1, 7), None);
    assert_eq!(node.report(&POLICY, Outcome::Success, 9, until_ms + 1, 7), None);
    assert_eq!(node, before);
}

#[test]
fn death_doubles_to_the_cap_and_only_a_success_forgets() {
    let mut node = NodeHealth::default();
    let mut now_ms = 0;
    let mut lengths = Vec::new();
    let mut until_ms = kill(&mut node, now_ms);
    for _ in 0..12 {
        lengths.push(until_ms - now_ms);
        now_ms = until_ms + 100_000;
        node.tick(&POLICY, now_ms);
        until_ms = fail(&mut node, now_ms).unwrap().until_ms;
    }
    for (death, &length) in lengths.iter().enumerate() {
        let half = (100 << death.min(20)).min(1_000);
        assert!((half..=(2 * half).min(1_000)).contains(&length), "death {death} lasts {length}");
    }
    assert_eq!(lengths.last(), Some(&1_000));
}

#[test]
fn a_node_without_traffic_is_moved_on_by_time_alone() {
    let mut node = NodeHealth::default();
    let until_ms = kill(&mut node, 0);
    assert_eq!(node.next_tick_ms(&POLICY), Some(until_ms));
    assert!(node.tick(&POLICY, until_ms + 3_600_000).is_some());
    assert_eq!(node.next_tick_ms(&POLICY), None);
    for later in 0..10_000 {
        assert_eq!(node.tick(&POLICY, until_ms + 3_600_000 + later), None);
    }
}

#[test]
fn the_numbers_at_the_end_of_time_do_no_harm() {
    let policy = FailureAccrual { consecutive_failures: 1, backoff_max_ms: MAX_BACKOFF_MS, ..POLICY };
    let mut node = NodeHealth::default();
    for _ in 0..200 {
        node.report(&policy, Outcome::Failure, u64::MAX, u64::MAX, u64::MAX);
        node.tick(&policy, u64::MAX);
    }
    assert_eq!(policy.backoff_ms(u32::MAX, u64::MAX), MAX_BACKOFF_MS);
}

#[test]
fn policies_out_of_range_name_the_field() {
    let place = |policy: FailureAccrual| policy.check().unwrap_err().place().to_owned();
    assert_eq!(place(FailureAccrual { consecutive_failures: 0, ..POLICY }), "failure_accrual.consecutive_failures");
    assert_eq!(place(FailureAccrual { backoff_min_ms: 0, ..POLICY }), "failure_accrual.backoff_min_ms");
    assert_eq!(place(FailureAccrual { backoff_max_ms: 99, ..POLICY }), "failure_accrual.backoff_max_ms");
    assert_eq!(place(FailureAccrual { probe_timeout_ms: 0, ..POLICY }), "failure_accrual.probe_timeout_ms");
}

proptest! {
    #[test]
    fn the_default_backoff_stays_between_five_seconds_and_five_minutes(deaths in 1_u32.., random in any::<u64>()) {
        let length = FailureAccrual::default().backoff_ms(deaths, random);
        prop_assert!((5_000..=300_000).contains(&length));
    }

    #[test]
    fn whatever_comes_a_dead_node_is_admitted_only_after_its_time(
        steps in prop::collection::vec((0_u8..5, 0_u64..200), 1..300),
    ) {
        let (mut node, mut now_ms, mut until_ms) = (NodeHealth::default(), 0, None);
        for (step, wait) in steps {
            now_ms += wait;
            let change = match step {
                0 => node.report(&POLICY, Outcome::Success, now_ms, now_ms, 1),
                1 | 2 => node.report(&POLICY, Outcome::Failure, now_ms, now_ms, 1),
                3 => node.tick(&POLICY, now_ms),
                _ => {
                    let admission = node.admit(now_ms);
                    prop_assert!(until_ms.is_none_or(|until| until <= now_ms) || admission == Admission::FailFast);
                    None
                }
            };
            match change.map(|change| (change.kind, change.until_ms)) {
                Some((EventKind::Ejected, until)) => until_ms = Some(until),
                Some((EventKind::Probing | EventKind::Revived, _)) => until_ms = None,
                None => {}
            }
            prop_assert_eq!(node.is_dead(), until_ms.is_some());
        }
    }
}
