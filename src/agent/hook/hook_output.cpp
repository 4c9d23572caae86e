#include "agent/hook/hook_output.h"

#include <algorithm>
#include <utility>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "core/base/text.h"
#include "core/base/utf8.h"
#include "core/json/field.h"

namespace ralph::hook {
namespace {

using json::Document;

constexpr int kBlocks = 2;
constexpr int kCannotExecute = 126;
constexpr int kNotFound = 127;
/// A shell adds the number of the signal that ended a command.
constexpr int kFirstSignal = 128;
constexpr int kLastSignal = kFirstSignal + 64;

/// Events after which the model can still be told why a hook objects.
constexpr Event kReported[] = {Event::post_tool_use, Event::post_tool_use_failure};
/// Events with plain output for the model.
constexpr Event kPlainContext[] = {Event::session_start, Event::user_prompt_submit,
                                   Event::pre_compact};

template <typename List>
bool holds(const List& list, Event event) {
  return std::ranges::find(list, event) != std::ranges::end(list);
}

bool decides_calls(Event event) {
  return event == Event::pre_tool_use || event == Event::permission_request;
}

std::unexpected<Error> wrong(std::string_view key, std::string_view what) {
  return fail(Code::malformed, fmt::format("'{}' in its JSON answer {}", key, what));
}

/// null, or of the type; else an error.
Result<const Document*> typed(const Document& object, std::string_view key,
                              bool (Document::*is_type)() const noexcept, std::string_view type) {
  const auto& value = json::member(object, key);
  if (!value.is_null() && !(value.*is_type)()) return wrong(key, fmt::format("is not {}", type));
  return &value;
}

Result<std::string> text_in(const Document& object, std::string_view key) {
  TRY_ASSIGN(const auto* const value, typed(object, key, &Document::is_string, "a string"));
  return value->is_null() ? std::string() : value->get<std::string>();
}

Result<Permission> permission_in(std::string_view key, std::string_view word) {
  if (word.empty()) return Permission::none;
  if (word == "allow") return Permission::allow;
  if (word == "ask") return Permission::ask;
  if (word == "deny") return Permission::deny;
  return wrong(key, fmt::format("is '{}', not allow, ask or deny", word));
}

Result<> take_input(const Document& object, Answer& answer) {
  TRY_ASSIGN(const auto* const input,
             typed(object, "updatedInput", &Document::is_object, "an object"));
  if (!input->is_null()) answer.updated_input = *input;
  return {};
}

/// The older form: `decision` and `reason`.
Result<> take_decision(Event event, const Document& given, Answer& answer) {
  TRY_ASSIGN(const auto decision, text_in(given, "decision"));
  TRY_ASSIGN(auto reason, text_in(given, "reason"));
  if (decision == "block") {
    answer.blocked = true;
    answer.reason = std::move(reason);
  } else if (decision == "approve") {
    if (decides_calls(event)) answer.permission = Permission::allow;
  } else if (!decision.empty()) {
    return wrong("decision", fmt::format("is '{}', not block or approve", decision));
  }
  return {};
}

/// `decision` of PermissionRequest.
Result<> take_behavior(const Document& specific, Answer& answer) {
  TRY_ASSIGN(const auto* const decision,
             typed(specific, "decision", &Document::is_object, "an object"));
  if (decision->is_null()) return {};
  TRY_ASSIGN(const auto behavior, text_in(*decision, "behavior"));
  if (behavior != "allow" && behavior != "deny") {
    return wrong("behavior", fmt::format("is '{}', not allow or deny", behavior));
  }
  answer.permission = behavior == "allow" ? Permission::allow : Permission::deny;
  TRY_ASSIGN(answer.reason, text_in(*decision, "message"));
  TRY(take_input(*decision, answer));
  TRY_ASSIGN(const auto* const interrupt,
             typed(*decision, "interrupt", &Document::is_boolean, "true or false"));
  if (*interrupt == true && behavior == "deny") answer.stop = answer.reason;
  return {};
}

Result<> take_specific(Event event, const Document& specific, Answer& answer) {
  TRY_ASSIGN(const auto name, text_in(specific, "hookEventName"));
  if (!name.empty() && name != to_string(event)) {
    return wrong("hookEventName", fmt::format("is '{}', not '{}'", name, to_string(event)));
  }
  TRY_ASSIGN(auto context, text_in(specific, "additionalContext"));
  if (!context.empty()) answer.contexts.push_back(std::move(context));
  if (!decides_calls(event)) return {};
  TRY_ASSIGN(const auto word, text_in(specific, "permissionDecision"));
  TRY_ASSIGN(const auto permission, permission_in("permissionDecision", word));
  if (permission != Permission::none) {
    answer.permission = permission;
    TRY_ASSIGN(answer.reason, text_in(specific, "permissionDecisionReason"));
  }
  TRY(take_input(specific, answer));
  return event == Event::permission_request ? take_behavior(specific, answer) : Result<>{};
}

std::string blocking_text(std::string_view name, std::string_view err) {
  return fmt::format("[{}]: {}", name, is_blank(err) ? "No stderr output" : err);
}

Result<Verdict> succeeded(Event event, std::string_view out) {
  Verdict verdict;
  const auto text = trim(out);
  if (!text.starts_with('{')) {
    if (!text.empty() && holds(kPlainContext, event)) {
      verdict.answer.contexts.push_back(utf8::repaired(text));
    }
    return verdict;
  }
  const auto parsed = json::parse(text, "its answer");
  if (!parsed) return fail(Code::malformed, "it printed '{', but no valid JSON answer");
  TRY_ASSIGN(verdict.answer, read_answer(event, *parsed));
  return verdict;
}

}  // namespace

Result<Answer> read_answer(Event event, const Document& given) {
  Answer answer;
  if (given.is_null()) return answer;
  if (!given.is_object()) return fail(Code::malformed, "its answer is not a JSON object");
  TRY_ASSIGN(const auto* const goes_on,
             typed(given, "continue", &Document::is_boolean, "true or false"));
  if (*goes_on == false) {
    TRY_ASSIGN(answer.stop, text_in(given, "stopReason"));
  }
  TRY_ASSIGN(auto notice, text_in(given, "systemMessage"));
  if (!notice.empty()) answer.notices.push_back(std::move(notice));
  TRY(take_decision(event, given, answer));
  TRY_ASSIGN(const auto* const specific,
             typed(given, "hookSpecificOutput", &Document::is_object, "an object"));
  const bool blocked = answer.blocked;
  auto reason = answer.reason;
  TRY(take_specific(event, *specific, answer));
  answer.blocked = blocked || answer.permission == Permission::deny;
  if (blocked) answer.permission = Permission::none;
  if (blocked && answer.reason.empty()) answer.reason = std::move(reason);
  if (answer.blocked && answer.reason.empty()) answer.reason = "Blocked by hook";
  return answer;
}

Result<Verdict> read_output(Event event, std::string_view name, const CommandOutput& output) {
  if (!output.exit_code) return fail(Code::unavailable, "a signal ended it");
  const int code = *output.exit_code;
  if (code == 0) return succeeded(event, output.out);
  const auto err = utf8::repaired(output.err);
  if (code == kCannotExecute || code == kNotFound) {
    return fail(Code::unavailable, fmt::format("exit code {}: it cannot be run: {}", code,
                                               utf8::shortened(trim(err), 500)));
  }
  if (code > kFirstSignal && code <= kLastSignal) {
    return fail(Code::unavailable, fmt::format("exit code {}: a signal ended it", code));
  }
  Verdict verdict;
  if (code == kBlocks && (can_block(event) || holds(kReported, event))) {
    verdict.answer.blocked = true;
    verdict.answer.reason = blocking_text(name, err);
  } else {
    verdict.error = fmt::format("exit code {}: {}", code, utf8::shortened(trim(err), 500));
  }
  return verdict;
}

}  // namespace ralph::hook
