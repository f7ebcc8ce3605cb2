// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ostream>
#include <string>
#include <utility>

namespace shardway {

/// Why a key has its owner: hash, point, owner, the next owners, what is ejected, revision and fingerprint.
class Explanation {
  public:
    /// Keeps both forms; `explain` makes them.
    Explanation(std::string text, std::string json) : text_(std::move(text)), json_(std::move(json)) {}

    /// For people; the wording may change.
    [[nodiscard]] const std::string &text() const noexcept { return text_; }
    /// For programs: a JSON document.
    [[nodiscard]] const std::string &json() const noexcept { return json_; }

    friend std::ostream &operator<<(std::ostream &out, const Explanation &explanation) {
        return out << explanation.text_;
    }

  private:
    std::string text_;
    std::string json_;
};

} // namespace shardway
