// SPDX-License-Identifier: Apache-2.0
#pragma once

/// shardway for C++17: which instance owns this key, right now. Header only over `shardway.h`; link `libshardway`.
///
/// Objects own counted handles: a copy counts one more owner, a move takes it over, the last one frees. What is lent
/// (spans, views) lives as long as some copy does. All that can fail throws `shardway::Error`; `try_route` does not.
/// Calls on a `const` object may run on any number of threads at once. An object that was moved from or closed throws
/// `Closed`. `docs/cpp.md` is the guide.

#include <shardway/client.hpp>
#include <shardway/error.hpp>
#include <shardway/explain.hpp>
#include <shardway/groups.hpp>
#include <shardway/health.hpp>
#include <shardway/key.hpp>
#include <shardway/mergers.hpp>
#include <shardway/node.hpp>
#include <shardway/partitions.hpp>
#include <shardway/router.hpp>
#include <shardway/snapshot.hpp>
#include <shardway/span.hpp>
#include <shardway/state.hpp>
#include <shardway/stats.hpp>
#include <shardway/strategy.hpp>
#include <shardway/topology.hpp>
#include <shardway/topology_builder.hpp>
#include <shardway/version.hpp>
