#include "harness/loop/history.h"

#include <algorithm>

#include <fmt/core.h>

#include "harness/loop/excerpt.h"

namespace ralph::loop {
namespace {

struct Entry {
  std::string heading, words;
};

std::string heading_of(const store::LoopRecord& record,
                       const std::vector<std::int64_t>& taken_back) {
  std::string heading = fmt::format("## Iteration {}", record.iteration);
  if (std::ranges::find(taken_back, record.iteration) != taken_back.end()) {
    heading += ": undone by the user; its changes are gone";
  } else if (record.verification && !record.verification->passed) {
    heading += ": said DONE, but verification failed";
  } else if (record.failed) {
    heading += ": failed";
  }
  return heading;
}

/// The oldest first.
std::vector<Entry> entries_of(std::string_view summary, std::int64_t covers,
                              const std::vector<store::LoopRecord>& records,
                              const std::vector<std::int64_t>& taken_back) {
  std::vector<Entry> entries;
  if (!summary.empty()) {
    auto heading = covers > 1 ? fmt::format("## Iterations 1 to {}, summarized", covers)
                              : std::string("## Summary of earlier iterations");
    entries.push_back({std::move(heading), prompt_text(summary)});
  }
  for (const auto& record : records) {
    if (record.step != store::LoopRecord::Step::iteration) continue;
    entries.push_back({heading_of(record, taken_back), prompt_text(store::progress_text(record))});
  }
  return entries;
}

std::string show(const Entry& entry, const Excerpt& words) {
  auto text = fmt::format("{}\n\n{}\n", entry.heading, fenced(words.text));
  if (words.left_out > 0) text += fmt::format("[… {} bytes of this left out]\n", words.left_out);
  return text;
}

}  // namespace

History format_history(std::string_view summary, std::int64_t covers,
                       const std::vector<store::LoopRecord>& records, std::size_t most_bytes,
                       const std::vector<std::int64_t>& taken_back) {
  const auto entries = entries_of(summary, covers, records, taken_back);
  History history;
  std::vector<std::string> shown;  // the newest first
  std::size_t used = 0, missing = 0, missing_bytes = 0;
  for (auto entry = entries.rbegin(); entry != entries.rend(); ++entry) {
    const auto words = beginning_of(entry->words, most_bytes / 4);
    if (missing > 0 || used + words.text.size() > most_bytes) {
      ++missing;
      missing_bytes += entry->words.size();
      continue;
    }
    used += words.text.size();
    history.left_out += words.left_out;
    shown.push_back(show(*entry, words));
  }
  if (missing > 0) {
    history.left_out += missing_bytes;
    history.text = fmt::format("[… {} bytes of older history left out: {} {}]\n\n", missing_bytes,
                               missing, missing == 1 ? "entry" : "entries");
  }
  for (auto text = shown.rbegin(); text != shown.rend(); ++text) {
    if (text != shown.rbegin()) history.text += '\n';
    history.text += *text;
  }
  if (history.text.ends_with('\n')) history.text.pop_back();
  return history;
}

}  // namespace ralph::loop
