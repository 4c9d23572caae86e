#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "harness/loop/prompt.h"
#include "harness/loop/setup.h"
#include "harness/store/guidance.h"
#include "harness/store/loop_record.h"

namespace ralph::loop {

/// What the next prompt is made of, from what the loop knows.
PromptParts prompt_parts(const Setup& setup, const std::string& goal,
                         const std::vector<store::LoopRecord>& records,
                         const std::vector<store::Guidance::Message>& guidance,
                         const std::vector<std::string>& verify_names);

/// The newest summary of the summarizer; null: there is none.
const store::LoopRecord* last_summary(const std::vector<store::LoopRecord>& records);
/// Iterations with a higher number.
std::vector<store::LoopRecord> iterations_after(const std::vector<store::LoopRecord>& records,
                                                std::int64_t iteration);

}  // namespace ralph::loop
