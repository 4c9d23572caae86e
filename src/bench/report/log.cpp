#include <filesystem>

#include <fmt/core.h>
#include <nlohmann/json.hpp>
#include <sys/utsname.h>

#include "bench/report/bundle.h"
#include "bench/report/parts_impl.h"
#include "core/base/file.h"
#include "core/base/utf8.h"
#include "core/json/mask.h"

namespace ralph::report {
namespace {

using json::Document;
using trial::Execution;
using trial::Message;

constexpr std::string_view kAdapterVersion = "1.0.0";

Document call_json(const trial::CallRecord& call) {
  return {{"id", call.id},
          {"type", "function"},
          {"function", {{"name", call.name}, {"arguments", call.arguments}}}};
}

Document message_json(const Message& message) {
  Document json{{"role", to_string(message.role)},
                {"content", message.content},
                {"timestamp", iso_utc(message.time)}};
  if (!message.calls.empty()) {
    Document calls = Document::array();
    for (const auto& call : message.calls) calls.push_back(call_json(call));
    json["tool_calls"] = std::move(calls);
  }
  if (!message.call_id.empty()) json["tool_call_id"] = message.call_id;
  if (!message.parent.empty()) json["x_parent_call_id"] = message.parent;
  return json;
}

Document usage_json(const Execution& execution) {
  const auto& tokens = execution.usage;
  Document usage{{"prompt_tokens", tokens.prompt()},
                 {"completion_tokens", tokens.output},
                 {"total_tokens", tokens.prompt() + tokens.output}};
  if (execution.cost_usd) usage["estimated_cost_usd"] = number(*execution.cost_usd);
  if (!execution.counted) {
    usage["x_unknown"] = true;  // the format requires the three numbers
    return usage;
  }
  usage["x_input_tokens"] = tokens.input_uncached;
  usage["x_cache_read_tokens"] = tokens.cache_read;
  usage["x_cache_write_tokens"] = tokens.cache_write;
  usage["x_reasoning_tokens"] = tokens.reasoning;
  return usage;
}

Document errors_json(const Execution& execution) {
  Document list = Document::array();
  for (const auto& error : execution.errors) {
    list.push_back({{"message", error.message}, {"timestamp", iso_utc(error.time)}});
  }
  return list;
}

Document environment_json(const Writer& writer) {
  return {{"os", machine()},
          {"node_version", "none"},
          {"youbencha_version", writer.version},
          {"working_directory", utf8::repaired(writer.working_directory.native())}};
}

Document execution_json(const Execution& execution) {
  return {{"started_at", iso_utc(execution.started)},
          {"completed_at", iso_utc(execution.completed)},
          {"duration_ms", execution.duration.count()},
          {"exit_code", execution.exit_code},
          {"status", file_word(execution.status)}};
}

/// The names of the files below artifacts/, not their places on this machine.
Document extra_json(const Execution& execution) {
  auto extra = outcome_json(execution);
  extra["output_bytes"] = execution.output_bytes;
  extra["output_truncated"] = execution.truncated;
  extra["terminal_log"] = execution.terminal_log.filename().native();
  extra["command"] = Document::array();
  for (const auto& word : execution.command) extra["command"].push_back(utf8::repaired(word));
  return extra;
}

/// As JSON.stringify(value, null, 2) writes it.
std::string pretty(const Document& document) {
  auto text = json::write_pretty(document);
  if (text.ends_with('\n')) text.pop_back();
  return text;
}

Result<> write_masked(const std::filesystem::path& file, const std::string& json,
                      const Masker& masker) {
  return write_file_atomically(file, json::mask(json, masker), 0644);
}

}  // namespace

std::string machine() {
  struct utsname name{};
  ::uname(&name);
  const std::string_view kind = name.machine;
  return fmt::format("linux-{}", kind == "x86_64" ? "x64" : kind == "aarch64" ? "arm64" : kind);
}

Document outcome_json(const Execution& execution) {
  Document extra{{"status", to_string(execution.status)}, {"outcome", execution.outcome}};
  if (!execution.failure_class.empty()) extra["failure_class"] = execution.failure_class;
  if (execution.signal) extra["signal"] = *execution.signal;
  if (!execution.session_id.empty()) extra["session_id"] = execution.session_id;
  if (!execution.permission_mode.empty()) extra["permission_mode"] = execution.permission_mode;
  if (!execution.counted) return extra;
  extra["turns"] = execution.turns;
  extra["tool_calls"] = execution.tool_calls;
  extra["denials"] = execution.denials;
  return extra;
}

std::string log_json(const Execution& execution, const Writer& writer) {
  Document messages = Document::array();
  for (const auto& message : execution.messages) messages.push_back(message_json(message));
  Document log{{"version", "1.0.0"}};
  log["agent"] = {{"name", execution.type},
                  {"version", execution.version},
                  {"adapter_version", kAdapterVersion}};
  log["model"] = {{"name", execution.model},
                  {"provider", execution.provider},
                  {"parameters", Document::object()}};
  log["execution"] = execution_json(execution);
  log["messages"] = std::move(messages);
  log["usage"] = usage_json(execution);
  log["errors"] = errors_json(execution);
  log["environment"] = environment_json(writer);
  log["x_ralph"] = extra_json(execution);
  return pretty(log);
}

std::string manual_log_json(UtcTime started, UtcTime completed, const Writer& writer) {
  Document log{{"version", "1.0.0"}};
  log["agent"] = {{"name", "manual"}, {"version", "none"}, {"adapter_version", kAdapterVersion}};
  log["model"] = {{"name", "none"}, {"provider", "manual"}, {"parameters", Document::object()}};
  log["execution"] = {{"started_at", iso_utc(started)},
                      {"completed_at", iso_utc(completed)},
                      {"duration_ms", (completed - started).count()},
                      {"exit_code", 0},
                      {"status", "success"}};
  log["messages"] = Document::array({{{"role", "user"},
                                      {"content", "Manual evaluation (no agent execution)"},
                                      {"timestamp", iso_utc(started)}}});
  log["usage"] = {{"prompt_tokens", 0}, {"completion_tokens", 0}, {"total_tokens", 0}};
  log["errors"] = Document::array();
  log["environment"] = environment_json(writer);
  return pretty(log);
}

Result<> write_log(const std::filesystem::path& artifacts, const std::string& json,
                   const Masker& masker) {
  TRY(write_masked(artifacts / kLogName, json, masker));
  std::error_code ignored;
  std::filesystem::create_symlink(kLogName, artifacts / kLogAlias, ignored);
  return {};
}

Result<> write_results(const std::filesystem::path& artifacts, const std::string& json,
                       const Masker& masker) {
  return write_masked(artifacts / kResultsName, json, masker);
}

}  // namespace ralph::report
