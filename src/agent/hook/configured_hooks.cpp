#include "agent/hook/configured_hooks.h"

#include <algorithm>
#include <exception>
#include <system_error>
#include <thread>
#include <utility>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "agent/hook/hook_output.h"
#include "core/base/id.h"
#include "core/base/utf8.h"
#include "core/base/words.h"

namespace ralph::hook {
namespace {

using json::Document;

constexpr Words<HookEnd::Outcome, 3> kOutcomes{{"success", "error", "cancelled"}};
constexpr std::string_view kClient = "callback";

std::string full_name(const Occasion& occasion) {
  std::string name(to_string(occasion.event));
  if (!occasion.subject.empty()) name += fmt::format(":{}", occasion.subject);
  return name;
}

void append_reason(Answer& all, const std::string& reason) {
  if (reason.empty()) return;
  if (!all.reason.empty() && !all.reason.ends_with('\n')) all.reason += '\n';
  all.reason += reason;
}

/// The reason of the strictest answer; of blocks all reasons.
void add(Answer& all, Answer more) {
  const bool stricter =
      more.blocked ? !all.blocked : !all.blocked && more.permission > all.permission;
  if (stricter) all.reason.clear();
  if (more.blocked || stricter) append_reason(all, more.reason);
  all.permission = std::max(all.permission, more.permission);
  all.blocked = all.blocked || more.blocked;
  all.failed = all.failed || more.failed;
  if (more.updated_input) all.updated_input = std::move(more.updated_input);
  if (more.stop && !all.stop) all.stop = std::move(more.stop);
  std::ranges::move(more.contexts, std::back_inserter(all.contexts));
  std::ranges::move(more.notices, std::back_inserter(all.notices));
}

/// A hook's failure as an answer.
Answer failed_answer(Event event, std::string_view name, std::string_view why) {
  Answer answer;
  if (!can_block(event)) return answer;
  answer.blocked = answer.failed = true;
  answer.reason = fmt::format("[{}]: the hook failed: {}", name, why);
  return answer;
}

}  // namespace

std::string_view to_string(HookEnd::Outcome outcome) { return kOutcomes.of(outcome); }

/// One hook to run; without a command it is the client's.
struct ConfiguredHooks::Job {
  const CommandHook* command = nullptr;
  std::string callback_id;
  Millis timeout{0};

  std::string_view name() const {
    return command != nullptr ? std::string_view(command->command) : kClient;
  }
};

struct ConfiguredHooks::Done {
  Answer answer;
  HookEnd end;

  void fail_with(Event event, std::string_view name, std::string why) {
    answer = failed_answer(event, name, why);
    end.problem = std::move(why);
    end.blocks = answer.blocked;
    if (end.outcome != HookEnd::Outcome::cancelled) end.outcome = HookEnd::Outcome::error;
  }
};

bool ConfiguredHooks::has(Event event) const {
  const auto is_for = [event](const auto& hook) { return hook.event == event; };
  if (std::ranges::any_of(parts_.commands, is_for)) return true;
  const std::lock_guard lock(mutex_);
  return std::ranges::any_of(callbacks_, is_for);
}

std::vector<ConfiguredHooks::Job> ConfiguredHooks::jobs_for(const Occasion& occasion) const {
  std::vector<Job> jobs;
  const auto matches = [&](const auto& hook) {
    return hook.event == occasion.event && hook.matcher.matches(occasion.subject);
  };
  for (const auto& hook : parts_.commands) {
    const bool known = std::ranges::find(jobs, hook.command, &Job::name) != jobs.end();
    if (matches(hook) && !known) jobs.push_back({&hook, {}, hook.timeout});
  }
  const std::lock_guard lock(mutex_);
  for (const auto& hook : callbacks_) {
    if (matches(hook)) jobs.push_back({nullptr, hook.id, hook.timeout});
  }
  return jobs;
}

Document ConfiguredHooks::input_for(const Occasion& occasion) const {
  auto input = parts_.common ? parts_.common() : Document::object();
  input["hook_event_name"] = to_string(occasion.event);
  for (const auto& [key, value] : occasion.details.items()) input[key] = value;
  return input;
}

ConfiguredHooks::Done ConfiguredHooks::run_command(const Job& job, Event event,
                                                   const Document& input,
                                                   const std::stop_token& stop) const {
  Done done;
  const auto ran = run_hook_command(job.command->command, json::write(input) + "\n", job.timeout,
                                    parts_.place, stop);
  done.end.out = utf8::repaired(ran.out);
  done.end.err = utf8::repaired(ran.err);
  done.end.exit_code = ran.exit_code;
  done.end.duration = ran.duration;
  if (ran.cancelled) done.end.outcome = HookEnd::Outcome::cancelled;
  if (!ran.ended.empty()) {
    done.fail_with(event, job.name(), ran.ended);
    return done;
  }
  auto verdict = read_output(event, job.name(), {ran.exit_code, ran.out, ran.err});
  if (!verdict) {
    done.fail_with(event, job.name(), verdict.error().message);
    return done;
  }
  if (ran.exit_code != 0) done.end.outcome = HookEnd::Outcome::error;
  done.answer = std::move(verdict->answer);
  done.end.problem = std::move(verdict->error);
  return done;
}

ConfiguredHooks::Done ConfiguredHooks::run_callback(const Job& job, const Occasion& occasion,
                                                    const Document& input,
                                                    const std::stop_token& stop) const {
  Done done;
  const auto began = std::chrono::steady_clock::now();
  const auto id = occasion.tool_use_id.empty() ? make_uuid() : std::string(occasion.tool_use_id);
  const auto said = parts_.callback == nullptr
                        ? fail(Code::unavailable, "there is no client")
                        : parts_.callback->call(job.callback_id, input, id, job.timeout, stop);
  done.end.duration = since(began);
  if (stop.stop_requested()) done.end.outcome = HookEnd::Outcome::cancelled;
  auto answer =
      said ? read_answer(occasion.event, *said) : Result<Answer>(std::unexpected(said.error()));
  if (!answer) {
    done.fail_with(occasion.event, job.name(), describe(answer.error()));
    return done;
  }
  done.end.out = json::write(*said);
  done.end.exit_code = 0;
  done.answer = *std::move(answer);
  return done;
}

/// In texts; a changed input stays as it is.
void ConfiguredHooks::hide_secrets(Done& done) const {
  auto& [answer, end] = done;
  const auto hide = [this](std::string& text) { text = parts_.masker.mask(text); };
  for (auto* const text : {&answer.reason, &end.out, &end.err, &end.problem}) hide(*text);
  std::ranges::for_each(answer.contexts, hide);
  std::ranges::for_each(answer.notices, hide);
  if (answer.stop) hide(*answer.stop);
}

ConfiguredHooks::Done ConfiguredHooks::run_job(const Job& job, const Occasion& occasion,
                                               const Document& input,
                                               const std::stop_token& stop) const {
  const HookStart start{occasion.event, make_uuid(), full_name(occasion),
                        parts_.masker.mask(job.name())};
  if (parts_.observer != nullptr) parts_.observer->on_start(start);
  auto done = job.command != nullptr ? run_command(job, occasion.event, input, stop)
                                     : run_callback(job, occasion, input, stop);
  hide_secrets(done);
  done.end.notices = done.answer.notices;
  if (parts_.observer != nullptr) parts_.observer->on_end(start, done.end);
  return done;
}

/// An exception, such as running out of memory, is a failure of the hook.
ConfiguredHooks::Done ConfiguredHooks::run_safely(const Job& job, const Occasion& occasion,
                                                  const Document& input,
                                                  const std::stop_token& stop) const {
  try {
    return run_job(job, occasion, input, stop);
  } catch (const std::exception& error) {
    Done done;
    done.fail_with(occasion.event, job.name(), error.what());
    return done;
  }
}

Answer ConfiguredHooks::run(const Occasion& occasion, const std::stop_token& stop) {
  const auto jobs = jobs_for(occasion);
  if (jobs.empty()) return {};
  const auto input = input_for(occasion);
  std::vector<Done> done(jobs.size());
  {
    std::vector<std::jthread> threads;
    for (std::size_t i = 0; i < jobs.size(); ++i) {
      const auto work = [&, i] { done[i] = run_safely(jobs[i], occasion, input, stop); };
      if (jobs.size() == 1) {
        work();
        break;
      }
      try {
        threads.emplace_back(work);
      } catch (const std::system_error&) {  // no more threads may be started
        work();
      }
    }
  }
  Answer answer;
  for (auto& each : done) add(answer, std::move(each.answer));
  if (occasion.event == Event::pre_compact) return answer;  // they are instructions
  for (auto& text : answer.contexts) {
    text = fmt::format("{} hook additional context: {}", full_name(occasion), text);
  }
  return answer;
}

Result<std::vector<std::string>> ConfiguredHooks::set_callbacks(const Document& hooks) {
  TRY_ASSIGN(auto read, read_callback_hooks(hooks));
  const std::lock_guard lock(mutex_);
  callbacks_ = std::move(read.hooks);
  return std::move(read.events_without_effect);
}

}  // namespace ralph::hook
