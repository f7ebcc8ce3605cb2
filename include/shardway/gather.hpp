// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <shardway/scatter.hpp>

#include <algorithm>
#include <cstddef>
#include <exception>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace shardway::detail {

/// What came of one part: a value or an error.
template <class Response> struct Answer {
    std::optional<std::string> node;
    std::optional<Response> value;
    std::exception_ptr error;
};

/// Gives the result of a request, or throws its error. Every part has its answer in `answers`, at its own place; one
/// answer in all is the result, several go to the response merger.
template <class Request, class Response>
Response gather(const Plan<Request, Response> &plan, std::vector<Answer<Response>> answers) {
    if (answers.size() == 1) {
        if (answers[0].error) {
            std::rethrow_exception(answers[0].error);
        }
        return std::move(*answers[0].value);
    }
    std::vector<Response> successes;
    std::vector<PartFailure<Request>> failures;
    for (std::size_t index = 0; index < answers.size(); index++) {
        Answer<Response> &answer = answers[index];
        if (!answer.error) {
            successes.push_back(std::move(*answer.value));
            continue;
        }
        const Part<Request> &part = plan.parts[index];
        failures.push_back({answer.error, plan.endpoint, answer.node, part.partition, part.keys, part.request});
    }
    try {
        return (*plan.merge)(std::move(successes), failures);
    } catch (...) {
        const std::exception_ptr thrown = std::current_exception();
        const auto is_thrown = [&](const PartFailure<Request> &failure) { return failure.error == thrown; };
        if (std::any_of(failures.begin(), failures.end(), is_thrown)) {
            throw;
        }
        raise_failed(plan.endpoint, "response merger");
    }
}

} // namespace shardway::detail
