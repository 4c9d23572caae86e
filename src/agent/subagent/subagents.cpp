#include "agent/subagent/subagents.h"

#include <atomic>
#include <exception>
#include <system_error>
#include <thread>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "agent/subagent/report_text.h"
#include "core/base/id.h"

namespace ralph::subagent {

/// One of the subagents that may run at the same time.
class Subagents::Slot {
 public:
  explicit Slot(Subagents& all) : all_(all) {}
  Slot(const Slot&) = delete;
  Slot& operator=(const Slot&) = delete;
  ~Slot() {
    const std::lock_guard lock(all_.mutex_);
    --all_.running_;
  }

 private:
  Subagents& all_;
};

namespace {

/// Exceptions, such as running out of memory, fail the subagent, not the session.
Report run_safely(Subagent& agent, const std::stop_token& stop) {
  try {
    return agent.run(stop);
  } catch (const std::exception& error) {
    return {.status = tool::TaskStatus::failed,
            .text = fmt::format("The subagent failed: {}", error.what()),
            .model = agent.model_id()};
  }
}

/// Passes the stop request of a token on to a source.
struct StopLink {
  StopLink(const std::stop_token& from, std::stop_source to)
      : callback(from, Pass{std::move(to)}) {}

  struct Pass {
    std::stop_source to;
    void operator()() { to.request_stop(); }
  };
  std::stop_callback<Pass> callback;
};

}  // namespace

/// A subagent that works on a thread of its own.
class BackgroundAgent final : public tool::BackgroundWork {
 public:
  BackgroundAgent(Subagents& all, std::unique_ptr<Subagent> agent,
                  std::unique_ptr<Subagents::Slot> slot)
      : all_(all),
        slot_(std::move(slot)),
        agent_(std::move(agent)),
        over_(all.host().control.over(), stop_) {}
  ~BackgroundAgent() override { stop_.request_stop(); }

  void start(std::function<void()> when_ended) override {
    thread_ = std::jthread([this, notify = std::move(when_ended)] {
      report_ = run_safely(*agent_, stop_.get_token());
      const bool over = all_.host().control.over().stop_requested();
      all_.count_end(report_.status, over ? tool::Ender::system : ender_.load());
      slot_.reset();
      ended_ = true;
      notify();
    });
  }
  bool ended() const override { return ended_; }
  void end(tool::Ender by) override {
    auto none = tool::Ender::none;
    ender_.compare_exchange_strong(none, by);
    stop_.request_stop();
  }
  tool::TaskNotification notification(const tool::BackgroundTask& /*task*/) const override {
    return notification_of(report_, agent_->facts());
  }

 private:
  Subagents& all_;
  std::unique_ptr<Subagents::Slot> slot_;
  std::unique_ptr<Subagent> agent_;
  std::stop_source stop_;
  StopLink over_;
  Report report_;
  std::atomic<tool::Ender> ender_ = tool::Ender::none;
  std::atomic<bool> ended_ = false;
  std::jthread thread_;  // last: it uses the others
};

std::unique_ptr<Subagents::Slot> Subagents::acquire(const Task& task, std::optional<bool> asked) {
  const std::lock_guard lock(mutex_);
  auto& count = !asked ? stats_.unset : *asked ? stats_.in_background : stats_.in_foreground;
  ++count;
  if (running_ >= kMostAtOnce) {
    ++stats_.too_many;
    return nullptr;
  }
  ++running_;
  if (task.in_background) ++stats_.started_in_background;
  ++stats_.types[task.agent.name];
  return std::make_unique<Slot>(*this);
}

tool::Outcome Subagents::run(Task task, std::optional<bool> asked, const std::stop_token& stop) {
  auto slot = acquire(task, asked);
  if (!slot) {
    return tool::misuse(
        fmt::format("{} subagents are running, which is the limit. Wait until one "
                    "has ended, then make the call again.",
                    kMostAtOnce));
  }
  task.id = "a" + random_hex(8);
  if (host_.hooks.has(hook::Event::subagent_start)) {
    const json::Document details{
        {"agent_id", task.id}, {"agent_type", task.agent.name}, {"prompt", task.prompt}};
    auto answer = host_.hooks.run({.event = hook::Event::subagent_start,
                                   .subject = task.agent.name,
                                   .details = details,
                                   .tool_use_id = task.call_id},
                                  stop);
    if (answer.blocked || answer.stop) {
      count_end(tool::TaskStatus::killed, tool::Ender::system);
      return tool::failure("A hook prevents this subagent: " +
                           (answer.stop ? *answer.stop : answer.reason));
    }
    task.contexts = std::move(answer.contexts);
  }
  auto agent = Subagent::create(host_, std::move(task));
  if (!agent) {
    count_end(tool::TaskStatus::failed, tool::Ender::none);
    return tool::failure("The subagent was not started: " + describe(agent.error()));
  }
  if ((*agent)->facts().in_background) {
    return run_in_background(*std::move(agent), std::move(slot));
  }
  return run_in_foreground(**agent, stop);
}

tool::Outcome Subagents::run_in_foreground(Subagent& agent, const std::stop_token& stop) {
  const auto& facts = agent.facts();
  const session::SessionEvents events(host_.sink, host_.identity);
  std::stop_source own;
  const StopLink link(stop, own);
  {
    const std::lock_guard lock(mutex_);
    waited_for_.emplace(facts.task_id, own);
  }
  events.emit(session::TaskStarted{facts});
  const auto report = run_safely(agent, own.get_token());
  {
    const std::lock_guard lock(mutex_);
    waited_for_.erase(facts.task_id);
  }
  const bool over = host_.control.over().stop_requested();
  count_end(report.status, over ? tool::Ender::system : tool::Ender::user);
  const auto ended = notification_of(report, facts);
  events.emit(session::TaskUpdated{ended});
  events.emit(session::TaskEnded{ended});
  return outcome_of(report, agent.task(), facts.task_id);
}

tool::Outcome Subagents::run_in_background(std::unique_ptr<Subagent> agent,
                                           std::unique_ptr<Slot> slot) {
  const auto facts = agent->facts();
  auto outcome = launched(facts, agent->task(), agent->model_id());
  const session::SessionEvents events(host_.sink, host_.identity);
  auto tasks = host_.tasks.list();
  tasks.push_back(facts);
  events.emit(session::TasksChanged{tasks});
  events.emit(session::TaskStarted{facts});
  try {
    host_.tasks.adopt(facts,
                      std::make_unique<BackgroundAgent>(*this, std::move(agent), std::move(slot)));
  } catch (const std::system_error& error) {  // no thread can be started
    return not_started(facts, error.what());
  }
  if (notify_) notify_();
  return outcome;
}

/// The client knows the task already.
tool::Outcome Subagents::not_started(const tool::BackgroundTask& facts, std::string_view why) {
  const Report report{.status = tool::TaskStatus::failed,
                      .text = fmt::format("The subagent was not started: {}", why)};
  count_end(report.status, tool::Ender::none);
  const session::SessionEvents events(host_.sink, host_.identity);
  const auto ended = notification_of(report, facts);
  events.emit(session::TaskUpdated{ended});
  events.emit(session::TaskEnded{ended});
  events.emit(session::TasksChanged{host_.tasks.list()});
  return tool::failure(report.text);
}

bool Subagents::end(std::string_view agent_id) {
  std::stop_source found(std::nostopstate);
  {
    const std::lock_guard lock(mutex_);
    const auto at = waited_for_.find(agent_id);
    if (at == waited_for_.end()) return false;
    found = at->second;
  }
  found.request_stop();
  return true;
}

void Subagents::count_end(tool::TaskStatus status, tool::Ender by) {
  const std::lock_guard lock(mutex_);
  switch (status) {
    case tool::TaskStatus::completed: ++stats_.completed; return;
    case tool::TaskStatus::failed: ++stats_.failed; return;
    case tool::TaskStatus::killed: break;
  }
  switch (by) {
    case tool::Ender::parent: ++stats_.killed_by_parent; return;
    case tool::Ender::user: ++stats_.killed_by_user; return;
    case tool::Ender::none:
    case tool::Ender::system: ++stats_.killed_by_system; return;
  }
}

session::SubagentStats Subagents::stats() const {
  const std::lock_guard lock(mutex_);
  return stats_;
}

}  // namespace ralph::subagent
