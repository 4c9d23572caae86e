#pragma once
#include <deque>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/core.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "agent/session/json_text.h"
#include "agent/session/session.h"
#include "core/base/id.h"

/// A session over a scripted model and scripted tools: no process, no network, no clock.
namespace ralph::session {

inline api::Block text_block(std::string text) {
  api::Block block;
  block.type = api::BlockType::text;
  block.json = R"({"type":"text","text":)" + json_string(text) + "}";
  block.text = std::move(text);
  return block;
}

inline api::Block call_block(const std::string& id, const std::string& name,
                             const std::string& input = "{}") {
  api::Block block;
  block.type = api::BlockType::tool_use;
  block.id = id;
  block.name = name;
  block.input = input;
  block.json = R"({"type":"tool_use","id":)" + json_string(id) + R"(,"name":)" + json_string(name) +
               R"(,"input":)" + input + "}";
  return block;
}

inline api::Reply reply_of(std::vector<api::Block> blocks,
                           std::string_view stop_reason = "end_turn") {
  api::Reply reply;
  reply.id = "msg";
  reply.model = "claude-sonnet-4-5";
  reply.request_id = "req";
  reply.content = std::move(blocks);
  reply.stop_reason = api::ReplyStop::parse(stop_reason);
  reply.usage.input_tokens = 10;
  reply.usage.output_tokens = 5;
  reply.whole = true;
  return reply;
}

inline api::Reply says(std::string text, std::string_view stop_reason = "end_turn") {
  return reply_of({text_block(std::move(text))}, stop_reason);
}

inline UserMessage prompt(std::string_view text, std::string uuid) {
  return {.content = text_content(text), .uuid = std::move(uuid)};
}

/// Answers each request with the next step of its script.
class ScriptedModel final : public Model {
 public:
  struct Asked {
    std::string model;
    std::string tools;
    std::string messages;  // all roles and contents
    bool is_last = false;
  };
  using Step = std::function<api::Answer(api::Listener&)>;

  bool available() const override { return is_available; }
  api::Answer ask(const api::Request& request, api::Listener& listener,
                  const std::stop_token&) override {
    Asked now{request.shape.model, request.tools, "", request.is_last};
    for (const auto& message : request.messages) {
      now.messages += fmt::format("{}:{}\n", to_string(message.role), message.content);
    }
    asked.push_back(std::move(now));
    if (steps.empty()) {
      ADD_FAILURE() << "asked too often";
      return fails({.kind = api::FailureKind::cancelled});
    }
    const auto step = std::move(steps.front());
    steps.pop_front();
    return step(listener);
  }

  void reply(api::Reply reply) {
    steps.push_back([reply = std::move(reply)](api::Listener& listener) {
      for (const auto& block : reply.content) listener.on_block(reply, block);
      return api::Answer{reply, std::nullopt};
    });
  }
  void fail(api::Failure failure) {
    steps.push_back([failure = std::move(failure)](api::Listener&) { return fails(failure); });
  }
  static api::Answer fails(api::Failure failure) {
    return {.reply = {}, .failure = std::move(failure)};
  }

  bool is_available = true;
  std::deque<Step> steps;
  std::vector<Asked> asked;
};

/// Answers every call with "did NAME", the last call first.
class ScriptedTools final : public Tools {
 public:
  bool update(const std::stop_token&) override { return std::exchange(known_, offered) != offered; }
  std::vector<std::string> names() const override { return offered; }
  std::string definitions() const override {
    std::string all;
    for (const auto& name : offered) {
      all += (all.empty() ? "" : ",") + (R"({"name":)" + json_string(name) + "}");
    }
    return all;
  }
  void run_calls(std::span<const api::Block* const> calls, const CallRoom&,
                 const std::function<void(ToolCallResult)>& on_result,
                 const std::stop_token&) override {
    for (auto call = calls.rbegin(); call != calls.rend(); ++call) {
      if (before_call) before_call(**call);
      const auto text = json_string("did " + (*call)->name);
      ToolCallResult result{.call = *call, .outcome = {text, std::nullopt, text}};
      result.outcome.follow_up = follow_up;
      if (change_result) change_result(result);
      on_result(std::move(result));
    }
  }
  std::vector<tool::BackgroundTask> running_tasks() const override { return tasks; }

  std::vector<std::string> offered{"Look"};
  std::function<void(const api::Block&)> before_call;
  std::function<void(ToolCallResult&)> change_result;
  std::vector<tool::BackgroundTask> tasks;
  std::string follow_up;

 private:
  std::vector<std::string> known_;
};

/// Answers each occasion as the test says, and remembers it.
class ScriptedHooks final : public hook::Hooks {
 public:
  bool has(hook::Event event) const override { return answers.contains(event); }
  hook::Answer run(const hook::Occasion& occasion, const std::stop_token&) override {
    ran.push_back(fmt::format("{} {} {}", to_string(occasion.event), occasion.subject,
                              occasion.details.dump()));
    auto& left = answers[occasion.event];
    if (left.empty()) return {};
    auto answer = left.front();
    left.pop_front();
    return answer;
  }

  std::map<hook::Event, std::deque<hook::Answer>> answers;
  std::vector<std::string> ran;
};

/// Keeps a word for every event, with the call of the parent session in front if there is one.
class RecordingSink final : public EventSink {
 public:
  void emit(const Identity& from, const Event& event) override {
    const std::lock_guard lock(mutex_);
    sessions.push_back(from.session_id());
    const auto& parent = from.parent_tool_use_id();
    words.push_back((parent.empty() ? "" : parent + "/") + std::visit(*this, event));
  }
  /// For a thread that reads while others emit.
  std::vector<std::string> words_so_far() const {
    const std::lock_guard lock(mutex_);
    return words;
  }
  std::string story() const {
    std::string all;
    for (const auto& word : words) all += (all.empty() ? "" : " ") + word;
    return all;
  }

  std::string operator()(const TurnStarted& event) {
    tools = event.facts.tools;
    return "started";
  }
  std::string operator()(const ReplyBlock& event) { return "reply:" + type_of(event.block); }
  std::string operator()(const ErrorReply& event) {
    return "error:" + std::string(to_string(event.facts.error));
  }
  std::string operator()(const UserInput& event) {
    inputs.emplace_back(event.content);
    return event.extras.synthetic ? "nudge" : "user";
  }
  std::string operator()(const MessageProgress& event) {
    return std::string(to_string(event.state)) + ":" + std::string(event.uuid);
  }
  std::string operator()(const ModelChanged& event) { return "model:" + std::string(event.to); }
  std::string operator()(const CallDenied& event) { return "denied:" + event.call.name; }
  std::string operator()(const TasksChanged& event) {
    return "tasks:" + std::to_string(event.tasks.size());
  }
  std::string operator()(const TaskStarted& event) { return "task:" + event.task.task_id; }
  std::string operator()(const CompactionStarted& event) {
    return "compacting:" + std::string(to_string(event.trigger));
  }
  std::string operator()(const CompactionEnded& event) {
    return event.failure ? "not_compacted:" + std::string(to_string(*event.failure)) : "compacted";
  }
  std::string operator()(const ConversationCompacted&) { return "boundary"; }
  std::string operator()(const ReplyRefused&) { return "refused"; }
  std::string operator()(const Notice&) { return "notice"; }
  std::string operator()(const TranscriptLost&) { return "lost"; }
  template <typename Other>
  std::string operator()(const Other&) {
    return "other";
  }

  std::vector<std::string> words;
  std::vector<std::string> sessions;
  std::vector<std::string> inputs;  // contents of user events
  std::vector<std::string> tools;   // of the last turn

 private:
  static std::string type_of(std::string_view block) {
    return block.contains(R"("type":"text")") ? "text" : "call";
  }

  mutable std::mutex mutex_;
};

/// All that a session needs.
struct Scripted {
  settings::Options options;
  settings::Environment environment{{}};
  ScriptedModel model;
  ScriptedTools tools;
  RecordingSink sink;
  Inbox inbox;
  TurnControl control;
  Ledger ledger{model::Table::builtin(), {}};
  ScriptedHooks hooks;
  Identity identity{"session-1"};
  TurnLimits limits;
  const StructuredOutput* structured = nullptr;
  std::unique_ptr<settings::ModelChoice> choice;
  std::unique_ptr<Session> session;
  std::stop_token stop;
  std::vector<std::string> warnings;

  SessionConfig config() {
    return {.init = {.cwd = "/work"},
            .system = {"Be brief."},
            .introduction = [] { return std::vector<std::string>{"You are here."}; },
            .warn = [this](std::string_view line) { warnings.emplace_back(line); },
            .compaction = CompactPolicy(environment, true),
            .limits = limits,
            .structured = structured};
  }
  settings::ModelChoice& model_choice() {
    if (!choice) {
      choice = std::make_unique<settings::ModelChoice>(model::Table::builtin(), options,
                                                       environment, "claude-sonnet-4-5");
    }
    return *choice;
  }
  SessionLinks links(const Identity& of, Model& asked) {
    return {of, asked, tools, sink, model_choice(), inbox, control, ledger, hooks};
  }
  /// For tests of the parts of a turn; lives no longer than this object.
  SessionState state() {
    return {.config = config(),
            .links = links(identity, model),
            .events = SessionEvents(sink, identity),
            .conversation = Conversation({}, {std::nullopt, [](const Error&) {}}),
            .context = Context(CompactPolicy(environment, true), 0),
            .preserved = {}};
  }
  Session& begin(SessionStart start = {}) {
    start.session_id = identity.session_id();
    auto made = Session::create(config(), links(identity, model), std::move(start));
    EXPECT_TRUE(made) << made.error().message;
    session = *std::move(made);
    return *session;
  }
  std::optional<TurnReport> ask(std::string_view text, std::string uuid = {}) {
    if (!session) begin();
    UserMessage message;
    message.content = text_content(text);
    message.uuid = std::move(uuid);
    stop = control.begin_turn();
    auto answered = session->answer({std::move(message)}, stop);
    control.end_turn();
    return answered;
  }
  TurnResult result_of(std::string_view text) {
    auto answered = ask(text);
    EXPECT_TRUE(answered);
    return answered ? std::move(answered->result) : TurnResult{};
  }
};

/// A session that works for a call of another one. It has its own model script, tools, inbox and conversation; sink, control,
/// budget and choice of model are its parent's.
struct ScriptedChild {
  explicit ScriptedChild(Scripted& of) : parent(of) {}

  Scripted& parent;
  Identity identity{"session-1", "toolu_1"};
  ScriptedModel model;
  ScriptedTools tools;
  Inbox inbox;
  std::unique_ptr<Session> session;

  std::optional<TurnReport> ask(std::string_view text, SessionStart start = {}) {
    if (!session) {
      start.session_id = identity.session_id();
      auto made = Session::create(parent.config(),
                                  {identity, model, tools, parent.sink, parent.model_choice(),
                                   inbox, parent.control, parent.ledger, parent.hooks},
                                  std::move(start));
      EXPECT_TRUE(made) << made.error().message;
      session = *std::move(made);
    }
    return session->answer({{.content = text_content(text)}}, parent.stop);
  }
};

}  // namespace ralph::session
