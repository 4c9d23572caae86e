#include "agent/session/toolbox.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <exception>
#include <new>
#include <system_error>
#include <thread>
#include <utility>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "agent/permission/rule.h"
#include "agent/session/json_text.h"
#include "agent/tool/background.h"
#include "agent/tool/coerce.h"
#include "agent/tool/ripgrep.h"
#include "core/base/id.h"
#include "core/base/utf8.h"
#include "core/json/document.h"

namespace ralph::session {
namespace {

using tool::Tool;

/// Offered only with --tools, or if Bash is not offered.
constexpr std::array<std::string_view, 2> kInsteadOfShell{"Glob", "Grep"};
/// Offered where something may run in the background.
constexpr std::string_view kStop = "TaskStop";
constexpr std::size_t kLongestParameter = 100;  // code points
constexpr std::size_t kMostAtOnce = 10;

template <typename List>
bool has(const List& list, std::string_view name) {
  return std::ranges::find(list, name) != std::ranges::end(list);
}

/// Of --tools or --disallowedTools.
bool is_named(const std::vector<std::string>& list, std::string_view tool) {
  return std::ranges::find(list, tool, permission::current_tool_name) != list.end();
}

/// By its name, or by that of its server.
bool is_disallowed(std::string_view name, const settings::Options& options) {
  return std::ranges::any_of(options.disallowed_tools, [&](const std::string& text) {
    const auto rule = permission::parse_rule(text);
    return rule.covers_all() && permission::names_tool(rule, name);
  });
}

bool is_offered(std::string_view name, const settings::Options& options) {
  if (is_named(options.disallowed_tools, name)) return false;
  if (options.tools && !has(*options.tools, "default")) return is_named(*options.tools, name);
  if (options.bare) return has(settings::kBareTools, name);
  return !has(kInsteadOfShell, name) || has(options.disallowed_tools, "Bash");
}

/// A schema violation as text for the model.
std::string violation_text(const schema::Violation& violation) {
  const auto name = violation.pointer.empty() ? "" : violation.pointer.substr(1);
  if (violation.keyword == "required") {
    return fmt::format("The required parameter `{}` is missing", violation.parameter);
  }
  if (violation.keyword == "additionalProperties") {
    return fmt::format("An unexpected parameter `{}` was provided",
                       utf8::shortened(violation.parameter, kLongestParameter));
  }
  return fmt::format("The parameter `{}` {}", name, violation.message);
}

ToolCallResult misused(const api::Block& call, std::string_view text, std::string_view detail) {
  ToolCallResult result{.call = &call, .outcome = tool::misuse(text)};
  result.outcome.detail = json_string(detail);
  return result;
}

/// A permitted call that the tool itself denied: its grant cannot be enforced, or the path is a link.
ToolCallResult denied_by_tool(const api::Block& call, const permission::Access& access,
                              tool::Outcome outcome) {
  const bool link = access.kind == permission::Access::Kind::write;
  permission::Decision denied{
      .reason_type = permission::Reason::other,
      .message = outcome.denied,
      .reason = link ? "The file is a symbolic link" : "This command cannot be confined"};
  using Kind = CallDecision::Kind;
  const CallDecision shown{.kind = link ? Kind::denied_by_rule : Kind::denied_by_user,
                           .reason = denied.reason_type};
  return {
      .call = &call, .outcome = std::move(outcome), .decision = shown, .denied = std::move(denied)};
}

/// Runs calls on threads of their own and passes the results to one thread.
class ConcurrentCalls {
 public:
  using OnResult = std::function<void(ToolCallResult)>;
  explicit ConcurrentCalls(const OnResult& on_result) : on_result_(on_result) {}

  void start(const std::function<ToolCallResult()>& run) {
    while (running_ >= kMostAtOnce) deliver_next();
    ++running_;
    const auto work = [this, run] { add(run()); };
    try {
      threads_.emplace_back(work);
    } catch (const std::system_error&) {  // no more threads may be started
      work();
    }
  }
  void deliver_all() {
    while (running_ > 0) deliver_next();
  }

 private:
  void add(ToolCallResult result) {
    const std::lock_guard lock(mutex_);
    done_.push_back(std::move(result));
    changed_.notify_one();
  }
  void deliver_next() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return !done_.empty(); });
    auto result = std::move(done_.front());
    done_.pop_front();
    lock.unlock();
    --running_;
    on_result_(std::move(result));
  }

  const OnResult& on_result_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<ToolCallResult> done_;
  std::size_t running_ = 0;
  std::vector<std::jthread> threads_;  // last: they use the others
};

}  // namespace

Toolbox::Toolbox(ToolboxParts parts) : parts_(std::move(parts)) {
  const auto& setup = parts_.workspace.setup();
  const bool background = setup.background && setup.tasks != nullptr;
  for (const auto& all : {tool::tools(background), std::span<const Tool* const>(parts_.more)}) {
    for (const auto* tool : all) {
      if (!is_offered(tool->name(), parts_.options)) continue;
      if (tool->name() == kStop && !parts_.workspace.setup().background) continue;
      if (has(kInsteadOfShell, tool->name()) && tool::find_ripgrep(parts_.workspace).empty()) {
        without_ripgrep_.emplace_back(tool->name());
      } else {
        fixed_.push_back(tool);
      }
    }
  }
  std::ranges::sort(fixed_, {}, &Tool::name);
  offered_ = tools_ = fixed_;
  update({});
}

bool Toolbox::update(const std::stop_token& stop) {
  if (parts_.source == nullptr) return false;
  auto tools = fixed_;
  for (const auto* tool : parts_.source->tools(stop)) {
    if (!is_disallowed(tool->name(), parts_.options)) tools.push_back(tool);
  }
  std::ranges::sort(tools, {}, &Tool::name);
  auto offered = tools;
  std::erase_if(offered, [&](const Tool* tool) {
    return std::ranges::find(fixed_, tool) == fixed_.end() && !parts_.source->is_offered(*tool);
  });
  tools_ = std::move(tools);
  if (offered == offered_) return false;
  offered_ = std::move(offered);
  return true;
}

std::vector<ServerFacts> Toolbox::servers() const {
  return parts_.source == nullptr ? std::vector<ServerFacts>() : parts_.source->servers();
}

std::vector<std::string> Toolbox::names() const {
  std::vector<std::string> names;
  names.reserve(tools_.size());
  for (const auto* tool : tools_) names.emplace_back(tool->name());
  return names;
}

std::string Toolbox::definitions() const {
  std::string all;
  for (const auto* tool : offered_) {
    if (!all.empty()) all += ',';
    all += tool::definition(*tool);
  }
  return all;
}

const Tool* Toolbox::find(std::string_view name) const {
  const auto found = std::ranges::find(tools_, permission::current_tool_name(name),
                                       [](const Tool* tool) { return tool->name(); });
  return found == tools_.end() ? nullptr : *found;
}

std::optional<std::string> Toolbox::complaint(const Tool& tool, const json::Document& input) {
  const std::lock_guard lock(mutex_);
  auto found = schemas_.find(tool.name());
  if (found == schemas_.end()) {
    const auto text = json::parse(tool.schema());
    auto compiled = schema::Schema::compile(text.value_or(json::Document::object()));
    if (!compiled) return compiled.error().message;
    found = schemas_.emplace(tool.name(), *std::move(compiled)).first;
  }
  const auto violations = found->second.validate(input);
  if (violations.empty()) return std::nullopt;
  auto text =
      fmt::format("InputValidationError: {} failed due to the following issue{}:", tool.name(),
                  violations.size() > 1 ? "s" : "");
  for (const auto& violation : violations) text += "\n" + violation_text(violation);
  return text;
}

ToolCallResult Toolbox::run_one(const api::Block& call, const std::stop_token& stop) {
  if (stop.stop_requested()) {
    return {.call = &call, .outcome = tool::failure("the turn was stopped before this call")};
  }
  const auto* tool = find(call.name);
  if (tool == nullptr) {
    const auto text = "Error: No such tool available: " + call.name;
    return misused(call, text, text);
  }
  if (!call.raw_input.empty()) {
    return misused(
        call,
        fmt::format("InputValidationError: {} was called with input that is not a JSON object "
                    "({} bytes). Make the call again with valid JSON.",
                    call.name, call.raw_input.size()),
        fmt::format("InputValidationError: JSON parse failed ({} bytes)", call.raw_input.size()));
  }
  auto input = json::parse(call.input).value_or(json::Document::object());
  if (!tool->checks_input()) {
    tool::coerce(input, tool->schema());
    if (const auto wrong = complaint(*tool, input)) return misused(call, *wrong, *wrong);
  }
  return run_if_permitted(call, *tool, std::move(input), stop);
}

ToolCallResult Toolbox::run_if_permitted(const api::Block& call, const Tool& tool,
                                         json::Document input, const std::stop_token& stop) {
  auto verdict = parts_.gate.check(call, tool, std::move(input), stop);
  ToolCallResult result{.call = &call,
                        .decision = verdict.shown,
                        .contexts = std::move(verdict.contexts),
                        .interrupt = verdict.interrupt,
                        .stop = std::move(verdict.stop)};
  if (!verdict.decision.allowed) {
    result.outcome = tool::failure(verdict.decision.message);
    result.denied = std::move(verdict.decision);
    return result;
  }
  const auto began = std::chrono::steady_clock::now();
  const auto run = [&] { return tool.run(verdict.input, verdict.access, parts_.workspace, stop); };
  auto* const heartbeats = parts_.heartbeats;
  auto outcome = heartbeats == nullptr ? run() : heartbeats->watch(call, verdict.input, run);
  if (!outcome.denied.empty()) return denied_by_tool(call, verdict.access, std::move(outcome));
  auto* const tasks = parts_.workspace.setup().tasks;
  if (!outcome.task.empty() && tasks != nullptr) tasks->set_call(outcome.task, call.id);
  if (outcome.misused) result.decision.reset();
  result.outcome = std::move(outcome);
  parts_.gate.after(verdict.input, since(began), result, stop);
  return result;
}

std::optional<tool::Outcome> Toolbox::run_for_user(std::string_view name,
                                                   const json::Document& input,
                                                   const std::stop_token& stop) {
  const auto* tool = tool::find_tool(name);
  if (tool == nullptr) return std::nullopt;
  api::Block call;
  call.type = api::BlockType::tool_use;
  call.id = make_uuid();
  call.name = name;
  const auto verdict = parts_.gate.check(call, *tool, input, stop);
  if (!verdict.decision.allowed) return std::nullopt;
  auto outcome = tool->run(verdict.input, verdict.access, parts_.workspace, stop);
  if (outcome.is_error.value_or(false)) return std::nullopt;
  return outcome;
}

/// Exceptions, such as running out of memory, fail the call, not the session.
ToolCallResult Toolbox::run_safely(const api::Block& call, const std::stop_token& stop) {
  try {
    return run_one(call, stop);
  } catch (const std::bad_alloc&) {
    return {.call = &call, .outcome = tool::failure("there is not enough memory for this call")};
  } catch (const std::system_error& error) {
    return {.call = &call,
            .outcome = tool::failure(fmt::format("the system refuses: {}", error.what()))};
  } catch (const std::exception& error) {
    return {.call = &call,
            .outcome = tool::failure(fmt::format("internal error: {}", error.what()))};
  }
}

bool Toolbox::is_parallel(const api::Block& call) const {
  const auto* const tool = find(call.name);
  const auto input = json::parse(call.input);
  return tool != nullptr && input && tool->is_parallel(*input);
}

std::vector<tool::BackgroundTask> Toolbox::running_tasks() const {
  const auto* const tasks = parts_.workspace.setup().tasks;
  return tasks == nullptr ? std::vector<tool::BackgroundTask>() : tasks->list();
}

void Toolbox::run_calls(std::span<const api::Block* const> calls, const CallRoom& room,
                        const std::function<void(ToolCallResult)>& on_result,
                        const std::stop_token& stop) {
  parts_.workspace.set_read_room(room.read_tokens);
  parts_.workspace.set_media_room(room.media);
  ConcurrentCalls concurrent(on_result);
  for (const auto* call : calls) {
    if (calls.size() > 1 && is_parallel(*call)) {
      concurrent.start([this, call, &stop] { return run_safely(*call, stop); });
      continue;
    }
    concurrent.deliver_all();
    on_result(run_safely(*call, stop));
  }
  concurrent.deliver_all();
}

}  // namespace ralph::session
