#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "harness/loop/guidance.h"
#include "harness/loop/prompt.h"
#include "harness/loop/record.h"
#include "harness/loop/setup.h"

namespace ralph::loop {

/// What the next prompt is made of, from what the loop knows.
PromptParts prompt_parts(const Setup& setup, const std::string& goal,
                         const std::vector<Record>& records,
                         const std::vector<Guidance::Message>& guidance,
                         const std::vector<std::string>& verify_names);

/// The newest summary of the summarizer; null: there is none.
const Record* last_summary(const std::vector<Record>& records);
/// Iterations with a higher number.
std::vector<Record> iterations_after(const std::vector<Record>& records, std::int64_t iteration);

}  // namespace ralph::loop
