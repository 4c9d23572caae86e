#include "bench/report/post_evaluation.h"

#include <chrono>
#include <condition_variable>
#include <mutex>

#include <fcntl.h>
#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "bench/report/bundle.h"
#include "bench/trial/script.h"
#include "core/base/file.h"
#include "core/base/unique_fd.h"
#include "core/json/field.h"
#include "system/http/client.h"

namespace ralph::report {
namespace {

using json::Document;

constexpr int kMostTries = 3;

std::vector<config::Pair> pairs_of(const Document& object) {
  std::vector<config::Pair> list;
  if (!object.is_object()) return list;
  for (const auto& [name, value] : object.items()) {
    if (value.is_string()) list.push_back({name, value.get<std::string>()});
  }
  return list;
}

/// False: stopped meanwhile.
bool pause_for(Millis length, const std::stop_token& stop) {
  std::mutex mutex;
  std::condition_variable_any changed;
  std::unique_lock lock(mutex);
  changed.wait_for(lock, stop, length, [] { return false; });
  return !stop.stop_requested();
}

Result<> send_once(const http::ClientRequest& request, const std::stop_token& stop) {
  http::Client client;
  const auto answer = client.send(request, {}, stop);
  if (!answer) return fail(Code::unavailable, answer.error().message);
  if (answer->status >= 200 && answer->status < 300) return {};
  return fail(Code::unavailable,
              fmt::format("{} answered with HTTP {}", request.url, answer->status));
}

Result<> send_to_webhook(const Document& config, const PostContext& context) {
  TRY_ASSIGN(const auto results, read_results(context.results));
  Document body{{"results", results}};
  if (json::boolean(config, "include_artifacts"))
    body["artifacts_path"] = context.artifacts.native();
  const Millis timeout(json::integer(config, "timeout_ms"));
  http::ClientRequest request;
  request.method = json::text(config, "method");
  request.url = json::text(config, "url");
  request.headers = {{"Content-Type", "application/json"}, {"User-Agent", "youBencha/0.1.0"}};
  for (const auto& pair : pairs_of(json::member(config, "headers"))) {
    request.headers.set(pair.name, pair.value);
  }
  request.body = json::write(body);
  request.connect_timeout = request.head_timeout = request.stall_timeout = timeout;
  const int tries = json::boolean(config, "retry_on_failure") ? kMostTries : 1;
  for (int i = 1;; ++i) {
    auto sent = send_once(request, context.stop);
    if (sent || i >= tries || !pause_for(Millis(1000 * i), context.stop)) return sent;
  }
}

/// Without what only the full bundle has.
Document short_form(Document results) {
  results["test_case"].erase("expected_branch");
  for (auto& grade : results["evaluators"]) {
    for (const char* key : {"assertions", "artifacts", "error"}) grade.erase(key);
  }
  return results;
}

Result<> append_to_file(const Document& config, const PostContext& context) {
  TRY_ASSIGN(auto results, read_results(context.results));
  auto line = json::boolean(config, "include_full_bundle") ? std::move(results)
                                                           : short_form(std::move(results));
  line["exported_at"] = iso_utc(now_utc());
  const std::filesystem::path path = json::text(config, "output_path");
  if (path.has_parent_path()) TRY(make_folders(path.parent_path(), 0755));
  const int mode = json::boolean(config, "append") ? O_APPEND : O_TRUNC;
  const UniqueFd file(::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | mode, 0644));
  if (!file) return fail_errno(errno, fmt::format("cannot write '{}'", path.native()));
  return write_all(file.get(), json::write(line) + "\n", path.native());
}

Result<> run_post_script(const Document& config, const PostContext& context) {
  trial::ScriptSpec script;
  script.command = json::text(config, "command");
  const auto& words = json::member(config, "args");
  if (words.is_array()) {
    for (const auto& word : words) script.args.push_back(word.get<std::string>());
  }
  script.env = pairs_of(json::member(config, "env"));
  script.working_dir = json::text(config, "working_dir");
  script.timeout = Millis(json::integer(config, "timeout_ms"));
  trial::ScriptContext where;
  std::error_code error;
  where.folder = std::filesystem::current_path(error);
  where.whole_environment = true;
  where.on_output = context.on_output;
  where.stop = context.stop;
  where.variables = {{"RESULTS_PATH", context.results.native()},
                     {"ARTIFACTS_DIR", context.artifacts.native()},
                     {"WORKSPACE_DIR", context.workspace.native()},
                     {"TEST_CASE_NAME", context.name},
                     {"OVERALL_STATUS", context.overall_status}};
  return run_script(script, where);
}

}  // namespace

Result<> run_post_step(const trial::PostSpec& step, const PostContext& context) {
  TRY_ASSIGN(const auto config, json::parse(step.config));
  if (step.name == "webhook") return send_to_webhook(config, context);
  if (step.name == "database") return append_to_file(config, context);
  return run_post_script(config, context);
}

}  // namespace ralph::report
