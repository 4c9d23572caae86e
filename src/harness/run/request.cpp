#include "harness/run/request.h"

#include <algorithm>
#include <system_error>

#include <fmt/core.h>

#include "core/base/file.h"
#include "core/base/nearest.h"
#include "harness/store/sessions.h"
#include "harness/stream/outcome.h"
#include "system/git/project_root.h"

namespace ralph::run {
namespace {

using config::Key;

/// A missing file is a usage error.
Result<std::string> read_named(const std::string& path, std::string_view what) {
  auto text = read_file(path);
  if (text) return text;
  const bool missing = text.error().code == Code::not_found;
  return fail(
      Code::usage,
      missing ? fmt::format("{} '{}' does not exist", what, path)
              : fmt::format("{}: {}", what, text.error().message),
      missing ? "paths in options are relative to the current directory" : text.error().hint);
}

Result<std::string> read_prompt(const config::Settings& settings, Invocation& invocation) {
  if (!invocation.instead_of_prompt.empty()) return invocation.instead_of_prompt;
  const auto& file = settings.text(Key::prompt_file);
  if (file == "-") return std::move(invocation.standard_input);
  if (!file.empty()) return read_named(file, "prompt file");
  if (settings.given(Key::prompt)) return settings.text(Key::prompt);
  return fail(Code::usage, "no prompt given", "use -p TEXT, -P FILE, or 'prompt:' in ralph.yml");
}

Result<std::string> read_system_prompt(const config::Settings& settings) {
  const auto& file = settings.text(Key::system_prompt_file);
  if (!file.empty()) return read_named(file, "system prompt file");
  return settings.text(Key::system_prompt);
}

Result<std::filesystem::path> workspace_of(const config::Settings& settings) {
  const auto& folder = settings.text(Key::cwd);
  std::error_code error;
  auto path = std::filesystem::canonical(folder.empty() ? "." : folder, error);
  if (error) {
    return fail(Code::usage, fmt::format("directory '{}' does not exist", folder),
                "--cwd must name an existing directory");
  }
  if (!std::filesystem::is_directory(path, error)) {
    return fail(Code::usage, fmt::format("'{}' is not a directory", folder),
                "--cwd must name a directory");
  }
  return path;
}

/// Warns of a `.ralph` in the workspace that is not used for state: the user may look for sessions there.
void find_root(backend::Host& host, std::vector<std::string>& warnings) {
  auto found = git::find_project_root(host.workspace, backend::variable(host, "HOME").value_or(""));
  host.project_root = std::move(found.folder);
  if (!found.warning.empty()) warnings.push_back(std::move(found.warning));
  const auto nested = host.workspace / ".ralph";
  std::error_code ignored;
  if (host.root() == host.workspace || !std::filesystem::is_directory(nested, ignored)) return;
  warnings.push_back(
      fmt::format("'{}' is used for settings only; state and logs of this repository are in '{}'",
                  nested.native(), (host.root() / ".ralph").native()));
}

Result<std::filesystem::path> log_dir_of(const config::Settings& settings,
                                         const std::filesystem::path& root) {
  if (!settings.given(Key::log_dir)) return root / ".ralph" / "logs";
  std::error_code error;
  auto folder = std::filesystem::absolute(settings.text(Key::log_dir), error);
  if (!error) return folder;
  return fail(Code::usage,
              fmt::format("cannot use the log directory '{}': {}", settings.text(Key::log_dir),
                          error.message()),
              "--log-dir must name a directory; it is created if missing");
}

backend::Auth auth_named(std::string_view word) {
  if (word == "api-key") return backend::Auth::api_key;
  return word == "login" ? backend::Auth::login : backend::Auth::automatic;
}

std::optional<process::Transport> transport_of(std::string_view word) {
  if (word == "pipe") return process::Transport::pipe;
  if (word == "pty") return process::Transport::pty;
  return std::nullopt;
}

void add_own_environment(const config::Settings& settings, backend::Host& host) {
  for (const auto& pair : settings.map(Key::env)) {
    host.own_env.push_back({pair.name, pair.value});
  }
}

/// A default that the agent does not support is left out; a given value is refused.
Result<> set_loop_guard(const config::Settings& settings, backend::Ask& ask) {
  const auto limit = settings.integer(Key::loop_guard).value_or(0);
  if (limit <= 0) return {};
  if (limit == 1) {
    return fail(Code::usage, "loop_guard is 1, but one call is not a repetition",
                "use at least 2, or 0 for no guard");
  }
  ask.loop_guard = static_cast<int>(std::min<std::int64_t>(limit, 1'000'000));
  ask.needs_loop_guard = settings.given(Key::loop_guard);
  return {};
}

Result<backend::Ask> make_ask(const config::Settings& settings, Invocation& invocation) {
  backend::Ask ask;
  TRY_ASSIGN(ask.prompt, read_prompt(settings, invocation));
  TRY_ASSIGN(ask.system_prompt, read_system_prompt(settings));
  ask.model = settings.text(Key::model);
  ask.append_system_prompt = settings.text(Key::append_system_prompt);
  ask.permission_mode = settings.text(Key::permission_mode);
  ask.resume = invocation.resume;
  ask.tools = settings.list(Key::allowed_tools);
  ask.max_cost = settings.money(Key::max_cost);
  ask.counts_cost_itself = !settings.given(Key::model_price);
  ask.max_turns = settings.integer(Key::max_turns);
  TRY(set_loop_guard(settings, ask));
  ask.command = settings.list(Key::command);
  ask.extra_args = settings.list(Key::extra_args);
  if (settings.given(Key::output_format))
    ask.output = backend::output_named(settings.text(Key::output_format));
  ask.transport = transport_of(settings.text(Key::transport));
  ask.auth = auth_of(settings);
  return ask;
}

std::string agent_name(const backend::Backend& backend, const backend::Ask& ask) {
  if (!backend.display_name.empty() || ask.command.empty())
    return std::string(backend.display_name);
  return std::filesystem::path(ask.command.front()).filename().native();
}

/// Empty: the agent's default.
std::string asked_model(const Request& request) {
  const auto model_of = request.backend->access.model_of;
  return model_of == nullptr ? request.ask.model : model_of(request.ask.model, request.host);
}

void take_limits(const config::Settings& settings, Request& request) {
  request.limits = {settings.duration(Key::timeout), settings.duration(Key::idle_timeout),
                    settings.duration(Key::after_end_timeout)};
  request.retries = {static_cast<int>(settings.integer(Key::retries).value_or(0)),
                     settings.duration(Key::retry_delay)};
  request.denials_allowed = settings.text(Key::on_denial) == "continue";
  request.max_line = settings.size(Key::max_line);
}

}  // namespace

std::string_view backend_name(const config::Settings& settings) {
  const auto& backend = settings.text(Key::backend);
  const bool own_command = backend == "auto" && settings.given(Key::command);
  return own_command ? std::string_view("custom") : backend;
}

backend::SandboxLevel sandbox_of(const config::Settings& settings) {
  using backend::SandboxLevel;
  const auto& word = settings.text(Key::sandbox);
  if (word == "strict") return SandboxLevel::strict;
  return word == "on" ? SandboxLevel::on : SandboxLevel::off;
}

backend::Auth auth_of(const config::Settings& settings) {
  return auth_named(settings.text(Key::auth));
}

/// A key in a prompt would reach the model, the logs of its provider and ralph's logs.
Result<> check_text(std::string_view what, std::string_view text, bool allowed,
                    const Masker& masker, std::vector<std::string>& warnings) {
  std::string found(masker.find_key_shape(text));
  if (found.empty() && masker.finds_secret(text)) found = "the value of a secret variable";
  if (found.empty()) return {};
  const auto message = fmt::format("the {} holds a secret ({})", what, found);
  if (!allowed) {
    return fail(Code::usage, message, "remove it, or use --allow-secrets");
  }
  auto warning = message + ": sent as it is";
  if (std::ranges::find(warnings, warning) == warnings.end()) {
    warnings.push_back(std::move(warning));
  }
  return {};
}

Result<> check_secrets(Request& request, bool allowed, const Masker& masker) {
  const auto& ask = request.ask;
  TRY(check_text("prompt", ask.prompt, allowed, masker, request.warnings));
  return check_text("system prompt", ask.system_prompt + "\n" + ask.append_system_prompt, allowed,
                    masker, request.warnings);
}

Result<> check_price(const Request& request) {
  if (!request.ask.max_cost || !request.backend->can.cost) return {};
  const auto model = asked_model(request);
  if (model.empty() || request.models.cost_usd(model, {})) return {};
  auto error = stream::no_price_error(model);
  if (const auto meant = nearest(model, request.models.names()); !meant.empty()) {
    error.message += fmt::format("; did you mean '{}'?", meant);
  }
  return std::unexpected(std::move(error));
}

Result<Request> make_request(const config::Settings& settings, Invocation invocation,
                             const Masker& masker) {
  Request request;
  request.run_id = invocation.run_id;
  request.continue_session = invocation.continue_session;
  if (request.continue_session && !invocation.resume.empty()) {
    return fail(Code::usage, "--continue and --resume cannot be combined",
                "--continue uses the stored session, --resume the one you name");
  }
  if (!invocation.resume.empty() && !store::is_session_id(invocation.resume)) {
    return fail(Code::usage, "invalid session id for --resume",
                "'ralph run -v' prints the id; an id does not begin with '-'");
  }
  TRY_ASSIGN(request.host.workspace, workspace_of(settings));
  request.folder_given = settings.given(Key::cwd);
  TRY_ASSIGN(request.ask, make_ask(settings, invocation));
  if (const auto& price = settings.text(Key::model_price); !price.empty()) {
    TRY_ASSIGN(const auto parsed, model::parse_price(price));
    request.models.set_price_of_others(parsed);
    const auto* known = request.models.find(request.ask.model);
    if (known != nullptr && !known->prices.empty()) {
      request.warnings.push_back(
          fmt::format("model_price ignored: ralph knows the price of '{}'", request.ask.model));
    }
  }
  request.host.environment = std::move(invocation.environment);
  request.host.is_root = invocation.is_root;
  request.host.sandbox = sandbox_of(settings);
  add_own_environment(settings, request.host);
  find_root(request.host, request.warnings);
  TRY_ASSIGN(request.backend, backend::choose(backend_name(settings), request.host));
  request.agent_name = agent_name(*request.backend, request.ask);
  request.mode = settings.text(Key::mode);
  request.task = settings.text(Key::task);
  if (request.continue_session && !request.backend->can.resume) {
    return fail(Code::usage,
                fmt::format("backend '{}' cannot continue a session", request.backend->name),
                "remove --continue");
  }
  TRY_ASSIGN(request.log_dir, log_dir_of(settings, request.host.root()));
  request.host.log_dir = request.log_dir.lexically_normal();
  if (settings.given(Key::allowed_tools) && request.ask.tools.empty()) {
    return fail(Code::usage, "allowed_tools is empty: that would not restrict the agent",
                "name at least one tool, or remove the setting to use the tools of the mode");
  }
  if (!settings.given(Key::allowed_tools) && request.backend->can.tool_lists) {
    const auto tools = request.backend->tools.defaults(request.mode);
    request.ask.tools.assign(tools.begin(), tools.end());
  }
  take_limits(settings, request);
  TRY(check_secrets(request, settings.boolean(Key::allow_secrets), masker));
  return request;
}

}  // namespace ralph::run
