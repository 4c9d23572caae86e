#include "harness/run/records.h"

#include "core/base/sha256.h"
#include "core/base/utf8.h"
#include "core/json/writer.h"

namespace ralph::run {
namespace {

std::string array_of(const std::vector<std::string>& words) {
  std::string out = "[";
  for (const auto& word : words) {
    if (out.size() > 1) out += ',';
    json::append_string(out, utf8::repaired(word));
  }
  return out + "]";
}

std::string object_of(const GitHead& git) {
  std::string out;
  json::ObjectWriter writer(out);
  if (!git) {
    writer.text("error", utf8::repaired(git.error().message));
  } else if (*git) {
    writer.text("head", (*git)->commit).text("branch", utf8::repaired((*git)->branch));
  }
  writer.close();
  return out;
}

std::string prompt_of(const Request& request, const backend::Plan& plan) {
  std::string out;
  json::ObjectWriter(out)
      .text("sha256", sha256_hex(request.ask.prompt))
      .number("bytes", static_cast<std::int64_t>(request.ask.prompt.size()))
      .text("delivery", backend::to_string(plan.delivery))
      .close();
  return out;
}

std::string tokens_of(const stream::Tokens& tokens) {
  std::string out;
  json::ObjectWriter(out)
      .number("input_uncached", tokens.input_uncached)
      .number("cache_read", tokens.cache_read)
      .number("cache_write", tokens.cache_write)
      .number("output", tokens.output)
      .close();
  return out;
}

void put_exit(json::ObjectWriter& writer, const process::Exit& exit) {
  if (exit.exit_code) writer.number("exit_code", std::int64_t{*exit.exit_code});
  if (exit.signal) writer.number("signal", std::int64_t{*exit.signal});
  writer.number("duration_ms", std::int64_t{exit.duration.count()})
      .number("user_cpu_ms", std::int64_t{exit.user_cpu.count()})
      .number("system_cpu_ms", std::int64_t{exit.system_cpu.count()})
      .number("max_rss_kb", exit.max_rss_kb)
      .number("strays", std::int64_t{exit.strays})
      .number("left", std::int64_t{exit.left})
      .number("stdout_bytes", static_cast<std::int64_t>(exit.out_bytes))
      .number("stderr_bytes", static_cast<std::int64_t>(exit.err_bytes));
}

}  // namespace

std::string started_record(const Request& request, const backend::Plan& plan, const GitHead& git) {
  const auto ms = [](Millis time) { return std::int64_t{time.count()}; };
  std::string out;
  json::ObjectWriter writer(out);
  writer.text("run_id", request.run_id)
      .text("backend", plan.backend->name)
      .raw("argv", array_of(plan.command.argv))
      .text("cwd", utf8::repaired(request.host.workspace.native()))
      .text("mode", request.mode)
      .text("task", utf8::repaired(request.task))
      .text("transport", plan.command.transport == process::Transport::pty ? "pty" : "pipe")
      .raw("prompt", prompt_of(request, plan))
      .text("resume", utf8::repaired(request.ask.resume))
      .text("sandbox", backend::to_string(request.host.sandbox))
      .number("timeout_ms", ms(request.limits.wall))
      .number("idle_timeout_ms", ms(request.limits.silence))
      .number("retries", std::int64_t{request.retries.most});
  if (request.ask.max_cost) writer.number("max_cost_usd", *request.ask.max_cost);
  writer.raw("git", object_of(git)).close();
  return out;
}

std::string attempt_record(int attempt, const std::string& raw_log) {
  std::string out;
  json::ObjectWriter(out).number("attempt", std::int64_t{attempt}).text("raw_log", raw_log).close();
  return out;
}

std::string attempt_ended_record(int attempt, const stream::Verdict& verdict,
                                 const std::optional<process::Exit>& exit,
                                 std::optional<Millis> retry_in) {
  std::string out;
  json::ObjectWriter writer(out);
  writer.number("attempt", std::int64_t{attempt})
      .text("outcome", stream::row(verdict.outcome).name)
      .text("why", verdict.message());
  if (exit) put_exit(writer, *exit);
  if (retry_in) writer.number("retry_in_ms", std::int64_t{retry_in->count()});
  writer.close();
  return out;
}

std::string ended_record(const stream::Verdict& verdict, const stream::Summary& summary,
                         Millis duration, int attempts, const GitHead& git) {
  std::string out;
  json::ObjectWriter writer(out);
  writer.text("outcome", stream::row(verdict.outcome).name)
      .number("exit_code", std::int64_t{verdict.exit_code()})
      .text("why", verdict.message())
      .text("session_id", utf8::repaired(summary.session_id))
      .number("attempts", std::int64_t{attempts})
      .number("duration_ms", std::int64_t{duration.count()})
      .raw("usage", tokens_of(summary.usage()));
  if (const auto cost = summary.cost_usd()) writer.number("cost_usd", *cost);
  writer.raw("git", object_of(git)).close();
  return out;
}

}  // namespace ralph::run
