#include "harness/loop/prompt_parts.h"

#include <algorithm>
#include <filesystem>

#include <fmt/core.h>

#include "harness/loop/read_agents_md.h"
#include "harness/loop/run_requests.h"

namespace ralph::loop {
namespace {

/// What 'ralph undo' said last, where no iteration ran since: each says what the files are like after it.
std::vector<std::string> undone_since(const std::vector<store::LoopRecord>& records) {
  std::vector<std::string> texts;
  for (const auto& record : records) {
    if (record.step == store::LoopRecord::Step::iteration) texts.clear();
    if (record.step == store::LoopRecord::Step::undo) texts = {record.progress};
  }
  return texts;
}

/// Why the last DONE did not count; empty where its files are gone.
std::string refusal(const std::vector<store::LoopRecord>& records) {
  const auto last = iterations_after(records, 0);
  if (last.empty() || !last.back().verification || last.back().verification->passed) return {};
  const auto gone = store::taken_back(records);
  if (std::ranges::find(gone, last.back().iteration) != gone.end()) return {};
  const auto& said = *last.back().verification;
  return fmt::format("`{}` failed: {}\n{}", said.command, said.reason, said.tail);
}

}  // namespace

const store::LoopRecord* last_summary(const std::vector<store::LoopRecord>& records) {
  const auto found =
      std::find_if(records.rbegin(), records.rend(), [](const store::LoopRecord& record) {
        return record.step == store::LoopRecord::Step::summary;
      });
  return found == records.rend() ? nullptr : &*found;
}

std::vector<store::LoopRecord> iterations_after(const std::vector<store::LoopRecord>& records,
                                                std::int64_t iteration) {
  std::vector<store::LoopRecord> later;
  for (const auto& record : records) {
    if (record.step == store::LoopRecord::Step::iteration && record.iteration > iteration) {
      later.push_back(record);
    }
  }
  return later;
}

PromptParts prompt_parts(const Setup& setup, const std::string& goal,
                         const std::vector<store::LoopRecord>& records,
                         const std::vector<store::Guidance::Message>& guidance,
                         const std::vector<std::string>& verify_names) {
  PromptParts parts;
  parts.goal = goal;
  parts.max_iterations = setup.options.budget.iterations;
  parts.agents_md =
      read_agents_md(setup.request.host.workspace, setup.options.caps.agents, parts.agents_md_size);
  std::error_code error;
  const auto instructions = setup.request.backend->instructions_file;
  if (std::filesystem::is_regular_file(setup.request.host.workspace / instructions, error)) {
    parts.instructions_file = instructions;
  }
  if (const auto* summary = last_summary(records)) {
    parts.history_summary = summary->progress;
    parts.summary_covers = summary->iteration;
  }
  parts.recent = iterations_after(records, parts.summary_covers);
  parts.iteration = parts.summary_covers + static_cast<std::int64_t>(parts.recent.size()) + 1;
  parts.verification = refusal(records);
  parts.taken_back = store::taken_back(records);
  parts.guidance = undone_since(records);
  for (const auto& each : guidance) parts.guidance.push_back(each.text);
  parts.verify_commands = verify_names;
  parts.answer_in_text = !answers_by_schema(*setup.request.backend);
  parts.answer_tool = setup.request.backend->tools.answer_tool;
  parts.done_marker = setup.options.done_marker;
  parts.commits = setup.options.commit;
  return parts;
}

}  // namespace ralph::loop
