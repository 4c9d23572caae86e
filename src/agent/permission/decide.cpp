#include "agent/permission/decide.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "agent/permission/call_impl.h"
#include "agent/permission/hidden_commands.h"
#include "agent/permission/repository_check.h"
#include "agent/permission/rule.h"
#include "core/base/words.h"

namespace ralph::permission {
namespace {

constexpr std::array<std::pair<std::string_view, Mode>, 7> kModes{
    {{"default", Mode::standard},
     {"manual", Mode::standard},
     {"acceptEdits", Mode::accept_edits},
     {"plan", Mode::plan},
     {"dontAsk", Mode::dont_ask},
     {"auto", Mode::automatic},
     {"bypassPermissions", Mode::bypass}}};

constexpr ralph::Words<Reason, 10> kReasons{{"", "mode", "rule", "subcommandResults", "workingDir",
                                             "safetyCheck", "other", "asyncAgent", "hook", "user"}};

Decision denied_by_rule(const Call& call, std::string_view rule, std::string_view how) {
  auto decision = denied(
      Reason::rule, fmt::format("The permission rule {} {} this use of {}.", rule, how, call.tool),
      fmt::format("Rule {}", rule));
  decision.askable = false;
  return decision;
}

Decision askable(Decision decision) {
  decision.askable = true;
  return decision;
}

/// Why it is uncertain whether a rule matches a line; empty: it is certain.
std::string why_hidden(const Rule& rule, const Call& call) {
  if (auto why = hidden_commands(call.line); !why.empty()) return why;
  if (auto why = hidden_words(call.line); !why.empty()) return why;
  return may_restrict(rule, call) ? "the shell expands some of its words" : "";
}

/// A rule about certain commands cannot be enforced on a line that may hide commands.
std::optional<Decision> denied_as_hidden(const Call& call, const std::vector<std::string>& rules) {
  if (call.access.kind != Access::Kind::run) return std::nullopt;
  for (const auto& text : rules) {
    const auto rule = parse_rule(text);
    if (rule.covers_all() || !names_tool(rule, call.tool)) continue;
    const auto why = why_hidden(rule, call);
    if (why.empty()) continue;
    auto decision = denied(
        Reason::rule,
        fmt::format(
            "The permission rule {} restricts {}, and whether it matches this command line cannot "
            "be determined: {}. Use plain commands, one after another.",
            text, call.tool, why),
        fmt::format("Rule {}", text));
    decision.askable = false;
    return decision;
  }
  return std::nullopt;
}

}  // namespace

Result<Mode> parse_mode(std::string_view word) {
  for (const auto& [name, mode] : kModes) {
    if (name == word) return mode;
  }
  return fail(Code::usage, fmt::format("'{}' is not a permission mode", word),
              "acceptEdits, auto, bypassPermissions, default, dontAsk, manual or plan");
}

std::string_view to_string(Mode mode) {
  for (const auto& [name, known] : kModes) {
    if (known == mode) return name;
  }
  return "default";
}

std::string_view to_string(Reason reason) { return kReasons.of(reason); }

Decision allowed(Reason reason, Grant grant) {
  return {.allowed = true, .reason_type = reason, .grant = grant};
}

Decision denied(Reason type, std::string message, std::string reason) {
  return {.reason_type = type,
          .message = std::move(message),
          .reason = std::move(reason),
          .askable = true};
}

Decision decide(const ToolCall& decided, Mode mode, const Rules& rules) {
  const Call call(decided);
  for (const auto& rule : rules.deny) {
    if (restricts(rule, call)) return denied_by_rule(call, rule, "denies");
  }
  for (const auto& rule : rules.ask) {
    if (restricts(rule, call)) {
      return askable(denied_by_rule(call, rule, "requires confirmation for"));
    }
  }
  if (auto hidden = denied_as_hidden(call, rules.deny)) return *std::move(hidden);
  if (auto hidden = denied_as_hidden(call, rules.ask)) return askable(*std::move(hidden));
  const bool question = decided.access.kind == Access::Kind::question;
  for (const auto& rule : rules.allow) {
    if (!question && permits(rule, call)) return allowed(Reason::rule, Grant::user);
  }
  return decide_by_mode(call, mode, rules);
}

std::vector<std::string> unreadable_patterns(const Rules& rules) {
  std::vector<std::string> patterns;
  for (const auto* const list : {&rules.deny, &rules.ask}) {
    for (const auto& text : *list) {
      const auto rule = parse_rule(text);
      if (rule.file_use() == FileUse::read && !rule.pattern.empty())
        patterns.push_back(rule.pattern);
    }
  }
  return patterns;
}

bool only_reads(std::string_view command) {
  const auto line = parse_shell_line(command);
  if (!line.understood || line.commands.empty() || runs_git_elsewhere(line)) return false;
  return std::ranges::all_of(line.commands, [](const ShellCommand& part) {
    const auto plain = [](const ShellWord& word) {
      return word.literal && !word.text.starts_with("/dev/");
    };
    const auto reading = reading_command(part);
    return reading && part.outputs.empty() && std::ranges::all_of(part.inputs, plain) &&
           std::ranges::all_of(reading->files, is_plain);
  });
}

bool stays_in_folder(std::string_view command) {
  const auto line = parse_shell_line(command);
  return line.understood && std::ranges::none_of(line.commands, [](const ShellCommand& part) {
           return !part.words.empty() && part.words[0].is("cd");
         });
}

}  // namespace ralph::permission
