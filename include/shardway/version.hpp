// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <shardway/error.hpp>

#include <cstdint>
#include <string>

namespace shardway {

/// The package version of the library that is loaded: "0.1.0".
inline std::string version() { return shardway_version(); }

/// The ABI version of the library that is loaded.
inline std::uint32_t abi_version() noexcept { return shardway_abi_version(); }

/// Throws `Unsupported`, naming both, when the library that is loaded is not of the ABI version of these headers.
inline void check_version() {
    if (shardway_abi_version() != SHARDWAY_ABI_VERSION) {
        throw Error(ErrorCode::Unsupported, std::string("the headers are of shardway ") + SHARDWAY_VERSION + ", ABI " +
                                                std::to_string(SHARDWAY_ABI_VERSION) + "; the library loaded is " +
                                                shardway_version() + ", ABI " + std::to_string(shardway_abi_version()));
    }
}

} // namespace shardway
