#include "agent/session/toolbox.h"

#include <algorithm>
#include <array>
#include <condition_variable>
#include <deque>
#include <exception>
#include <new>
#include <system_error>
#include <thread>
#include <utility>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "agent/session/json_text.h"
#include "agent/tool/background.h"
#include "agent/tool/coerce.h"
#include "agent/tool/ripgrep.h"
#include "core/json/document.h"

namespace ralph::session {
namespace {

using tool::Tool;

/// Offered only with --tools, or if Bash is not offered.
constexpr std::array<std::string_view, 2> kInsteadOfShell{"Glob", "Grep"};
constexpr std::size_t kMostAtOnce = 10;
constexpr std::array<std::string_view, 3> kBare{"Bash", "Edit", "Read"};
/// Denials for these reasons are final: no prompt could have allowed the call.
constexpr std::array kRuledOut{permission::Reason::async_agent, permission::Reason::mode};

template <typename List>
bool has(const List& list, std::string_view name) {
  return std::ranges::find(list, name) != std::ranges::end(list);
}

bool is_offered(std::string_view name, const settings::Options& options) {
  if (has(options.disallowed_tools, name)) return false;
  if (options.tools && !has(*options.tools, "default")) return has(*options.tools, name);
  if (options.bare) return has(kBare, name);
  return !has(kInsteadOfShell, name) || has(options.disallowed_tools, "Bash");
}

/// `final`: the denial is final, whatever its reason.
std::string meta_of(const api::Block& call, const permission::Decision& decision,
                    bool final = false) {
  auto meta = fmt::format(R"({{"id":{})", json_string(call.id));
  const bool by_rule =
      !decision.allowed &&
      (final || std::ranges::find(kRuledOut, decision.reason_type) != kRuledOut.end());
  if (!decision.allowed) {
    meta +=
        fmt::format(R"(,"non_execution_kind":"{}")", by_rule ? "permission-rule" : "user-rejected");
  }
  meta += fmt::format(R"(,"permission_decision":{{"decision":"{}","source":"config")",
                      decision.allowed ? "accept" : "reject");
  if ((decision.allowed || by_rule) && decision.reason_type != permission::Reason::none) {
    meta += fmt::format(R"(,"reason_type":{})", json_string(to_string(decision.reason_type)));
  }
  return meta + "}}";
}

/// A schema violation as text for the model.
std::string violation_text(const schema::Violation& violation) {
  const auto name = violation.pointer.empty() ? "" : violation.pointer.substr(1);
  if (violation.keyword == "required") {
    return fmt::format("The required parameter `{}` is missing", violation.parameter);
  }
  if (violation.keyword == "additionalProperties") return "An unexpected parameter was provided";
  return fmt::format("The parameter `{}` {}", name, violation.message);
}

ToolCallResult misused(const api::Block& call, std::string_view text, std::string_view detail) {
  ToolCallResult result{&call, tool::misuse(text), {}, {}};
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
  const auto meta = meta_of(call, denied, link);
  return {&call, std::move(outcome), meta, std::move(denied)};
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

Toolbox::Toolbox(tool::Workspace& workspace, const settings::Options& options,
                 const permission::Policy& policy, std::span<const Tool* const> more,
                 HeartbeatReporter* heartbeats)
    : workspace_(workspace), policy_(policy), heartbeats_(heartbeats) {
  for (const auto& all : {tool::tools(), more}) {
    for (const auto* tool : all) {
      if (!is_offered(tool->name(), options)) continue;
      if (has(kInsteadOfShell, tool->name()) && tool::find_ripgrep(workspace_).empty()) {
        without_ripgrep_.emplace_back(tool->name());
      } else {
        tools_.push_back(tool);
      }
    }
  }
  std::ranges::sort(tools_, {}, &Tool::name);
}

std::vector<std::string> Toolbox::names() const {
  std::vector<std::string> names;
  names.reserve(tools_.size());
  for (const auto* tool : tools_) names.emplace_back(tool->name());
  return names;
}

std::string Toolbox::definitions() const {
  std::string all;
  for (const auto* tool : tools_) {
    if (!all.empty()) all += ',';
    all += tool::definition(*tool);
  }
  return all;
}

const Tool* Toolbox::find(std::string_view name) const {
  const auto found = std::ranges::find(tools_, name, [](const Tool* tool) { return tool->name(); });
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
  tool::coerce(input, tool->schema());
  if (const auto wrong = complaint(*tool, input)) return misused(call, *wrong, *wrong);
  return run_if_permitted(call, *tool, input, stop);
}

ToolCallResult Toolbox::run_if_permitted(const api::Block& call, const Tool& tool,
                                         const json::Document& input, const std::stop_token& stop) {
  auto access = tool.access(input, workspace_);
  auto decision = policy_.decide(permission_call(tool, input, access, workspace_));
  const auto meta = meta_of(call, decision);
  if (!decision.allowed) {
    return {&call, tool::failure(decision.message), meta, std::move(decision)};
  }
  access.grant = decision.grant;
  const auto run = [&] { return tool.run(input, access, workspace_, stop); };
  auto outcome = heartbeats_ == nullptr ? run() : heartbeats_->watch(call, input, run);
  if (!outcome.denied.empty()) return denied_by_tool(call, access, std::move(outcome));
  if (!outcome.task.empty() && workspace_.setup().tasks != nullptr) {
    workspace_.setup().tasks->set_call(outcome.task, call.id);
  }
  const bool misused = outcome.misused;
  return {&call, std::move(outcome), misused ? "" : meta, {}};
}

std::optional<tool::Outcome> Toolbox::run_for_user(std::string_view name,
                                                   const json::Document& input,
                                                   const std::stop_token& stop) {
  const auto* tool = tool::find_tool(name);
  if (tool == nullptr) return std::nullopt;
  auto access = tool->access(input, workspace_);
  const auto decision = policy_.decide(permission_call(*tool, input, access, workspace_));
  if (!decision.allowed) return std::nullopt;
  access.grant = decision.grant;
  auto outcome = tool->run(input, access, workspace_, stop);
  if (outcome.is_error.value_or(false)) return std::nullopt;
  return outcome;
}

/// Exceptions, such as running out of memory, fail the call, not the session.
ToolCallResult Toolbox::run_safely(const api::Block& call, const std::stop_token& stop) {
  try {
    return run_one(call, stop);
  } catch (const std::bad_alloc&) {
    return {&call, tool::failure("there is not enough memory for this call"), {}, {}};
  } catch (const std::system_error& error) {
    return {&call, tool::failure(fmt::format("the system refuses: {}", error.what())), {}, {}};
  } catch (const std::exception& error) {
    return {&call, tool::failure(fmt::format("internal error: {}", error.what())), {}, {}};
  }
}

bool Toolbox::is_parallel(const api::Block& call) const {
  const auto* const tool = find(call.name);
  const auto input = json::parse(call.input);
  return tool != nullptr && input && tool->is_parallel(*input);
}

std::vector<tool::BackgroundTask> Toolbox::running_tasks() const {
  const auto* const tasks = workspace_.setup().tasks;
  return tasks == nullptr ? std::vector<tool::BackgroundTask>() : tasks->list();
}

void Toolbox::run_calls(std::span<const api::Block* const> calls, const CallRoom& room,
                        const std::function<void(ToolCallResult)>& on_result,
                        const std::stop_token& stop) {
  workspace_.set_read_room(room.read_tokens);
  workspace_.set_media_room(room.media);
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
