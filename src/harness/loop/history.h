#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "harness/store/loop_record.h"

namespace ralph::loop {

/// What a prompt says about earlier iterations.
struct History {
  std::string text;  // headings and fenced blocks; empty: there is nothing to tell
  std::size_t left_out = 0;
};

/// The summary of the first `covers` iterations and the records behind it, at most about `most_bytes` of their words.
/// The oldest are left out first, the summary before all; a single one gets a quarter of the bytes at most. The text
/// says what is missing, and which iterations are `taken_back`.
History format_history(std::string_view summary, std::int64_t covers,
                       const std::vector<store::LoopRecord>& records, std::size_t most_bytes,
                       const std::vector<std::int64_t>& taken_back = {});

}  // namespace ralph::loop
