#pragma once
#include <string>

#include "bench/trial/execution.h"
#include "core/json/document.h"

namespace ralph::report {

/// "linux-x64".
std::string machine();

/// What the format of youBencha cannot say about a run.
json::Document outcome_json(const trial::Execution& execution);

/// As JavaScript writes it: without ".0" if it is whole.
json::Document number(double value);

}  // namespace ralph::report
