#include <algorithm>

#include <fmt/core.h>
#include <fmt/ranges.h>

#include "harness/backend/command_line_impl.h"

namespace ralph::backend {
namespace {

using Words = std::vector<std::string>;

/// Every `mark` becomes `value`; what was put in is not looked at again.
std::string filled(std::string_view word, std::string_view mark, std::string_view value) {
  std::string out;
  for (;;) {
    const auto at = word.find(mark);
    out += word.substr(0, at);
    if (at == std::string_view::npos) return out;
    out += value;
    word.remove_prefix(at + mark.size());
  }
}

Words split(std::string_view words) {
  Words out;
  while (!words.empty()) {
    const auto blank = words.find(' ');
    out.emplace_back(words.substr(0, blank));
    words.remove_prefix(blank == std::string_view::npos ? words.size() : blank + 1);
  }
  return out;
}

/// "Bash(git *)" is a rule about the tool "Bash".
std::string names_of(const Words& rules) {
  Words names;
  for (const auto& rule : rules) {
    auto name = rule.substr(0, rule.find('('));
    if (std::ranges::find(names, name) == names.end()) names.push_back(std::move(name));
  }
  return fmt::format("{}", fmt::join(names, ","));
}

/// With a permission mode, a tool's name makes it available but approves only harmless tools. A rule with a pattern
/// is approved by the user.
Words approved(const Backend& backend, const Ask& ask) {
  if (ask.approves_tools || is_skip_mode(backend, ask.permission_mode)) return ask.tools;
  Words rules;
  for (const auto& rule : ask.tools) {
    const auto& harmless = backend.tools.harmless;
    const bool reads = std::ranges::find(harmless, rule) != harmless.end();
    if (reads || rule.contains('(')) rules.push_back(rule);
  }
  return rules;
}

Words when(bool there) { return there ? Words{""} : Words{}; }
Words one(std::string text) { return text.empty() ? Words{} : Words{std::move(text)}; }

/// The values that stand for a slot in this plan; none: its entry is left out.
Words values_of(Slot slot, const Draft& draft) {
  const Ask& ask = draft.ask;
  const bool worded = draft.delivery == Delivery::argument || draft.delivery == Delivery::file;
  const bool json = draft.output == Output::stream_json;
  switch (slot) {
    case Slot::always: return when(true);
    case Slot::prompt: return worded ? one(draft.prompt_word) : Words{};
    case Slot::prompt_folder: return one(draft.prompt_folder);
    case Slot::prompt_in: return when(draft.delivery == Delivery::standard_in);
    case Slot::prompt_stream: return when(draft.delivery == Delivery::stream_json);
    case Slot::stream_json_output: return when(json);
    case Slot::text_output: return when(!json);
    case Slot::skip_permissions: return when(ask.permission_mode.empty());
    case Slot::permission_mode: return one(ask.permission_mode);
    case Slot::model: return one(ask.model);
    case Slot::system_prompt: return one(ask.system_prompt);
    case Slot::append_system_prompt: return one(ask.append_system_prompt);
    case Slot::tool_names: return one(names_of(ask.tools));
    case Slot::tool_rules:
      return one(fmt::format("{}", fmt::join(approved(draft.backend, ask), ",")));
    case Slot::resume: return one(ask.resume);
    case Slot::partial:
      return when(json && (ask.max_cost || ask.conversation || ask.partial_messages));
    case Slot::max_cost:
      return ask.max_cost && ask.counts_cost_itself ? one(fmt::format("{}", *ask.max_cost))
                                                    : Words{};
    case Slot::max_turns: return ask.max_turns ? one(fmt::format("{}", *ask.max_turns)) : Words{};
    case Slot::json_schema: return one(ask.json_schema);
    case Slot::effort: return one(ask.effort);
    case Slot::loop_guard:
      return draft.has_loop_guard && ask.loop_guard ? one(fmt::format("{}", *ask.loop_guard))
                                                    : Words{};
    case Slot::agent_name: return one(ask.agent_name);
    case Slot::mcp_config: return one(ask.mcp_config);
    case Slot::extra_args: return ask.extra_args;
  }
  return {};
}

Words program_of(const Draft& draft) {
  if (!draft.backend.program.empty()) return {std::string(draft.backend.program)};
  Words words;
  for (const auto& word : draft.ask.command) {
    const bool by_file = word.find(kPromptFileMark) != std::string::npos;
    words.push_back(by_file ? filled(word, kPromptFileMark, draft.prompt_file)
                            : filled(word, kPromptMark, draft.prompt_word));
  }
  return words;
}

}  // namespace

bool mentions(const std::vector<std::string>& words, std::string_view mark) {
  return std::ranges::any_of(words, [&](const std::string& word) { return word.contains(mark); });
}

std::vector<std::string> command_line(const Draft& draft) {
  Words argv = program_of(draft);
  for (const Argument& argument : draft.backend.arguments) {
    for (const auto& value : values_of(argument.slot, draft)) {
      for (const auto& word : split(argument.words)) argv.push_back(filled(word, "{}", value));
    }
  }
  return argv;
}

}  // namespace ralph::backend
