#include "agent/mcp/server.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <exception>
#include <set>
#include <system_error>
#include <utility>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "agent/mcp/call_result.h"
#include "agent/mcp/connection_impl.h"
#include "agent/mcp/http_transport.h"
#include "agent/mcp/stdio_transport.h"
#include "core/base/safe_text.h"
#include "core/base/words.h"
#include "core/json/field.h"

namespace ralph::mcp {
namespace {

using json::Document;
using std::chrono::steady_clock;

/// The newest first: that one is offered.
constexpr std::array<std::string_view, 5> kProtocolVersions{
    "2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05", "2024-10-07"};
constexpr std::size_t kShownVersion = 40;
constexpr Words<ServerStatus, 4> kStatuses{{"pending", "connected", "failed", "needs-auth"}};
constexpr int kMostPages = 100;
constexpr std::size_t kMostTools = 2000;
constexpr std::size_t kMostToolBytes = std::size_t{8} << 20;
/// A server that announces changes without end must not fill the memory: earlier tools are kept.
constexpr int kMostChanges = 50;
constexpr std::size_t kMostKeptBytes = 2 * kMostToolBytes;
constexpr Millis kRefreshLimit{5'000};
/// Progress may extend a call up to this many times its limit.
constexpr int kMostExtensions = 10;

Millis left_until(SteadyTime end) {
  const auto left = std::chrono::ceil<Millis>(end - steady_clock::now());
  return std::max(left, Millis{1});
}

std::string file_uri(const std::filesystem::path& path) {
  static constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/-._~";
  std::string uri = "file://";
  for (const char c : path.string()) {
    if (kPlain.find(c) != kPlain.npos) {
      uri += c;
    } else {
      uri += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    }
  }
  return uri;
}

std::string roots_json(const std::filesystem::path& cwd) {
  return json::write({{"roots", Document::array({Document{{"uri", file_uri(cwd)}}})}});
}

http::Headers headers_of(const ServerConfig::Pairs& pairs) {
  http::Headers headers;
  for (const auto& [name, value] : pairs) headers.set(name, value);
  return headers;
}

std::size_t size_of(const ToolDefinition& tool) {
  return tool.schema.size() + tool.description.size();
}

/// The protocol version in the answer to initialize.
Result<std::string> version_of(const Document& greeting) {
  if (!greeting.is_object()) {
    return fail(Code::malformed, "its answer to initialize is not an object");
  }
  auto version = json::text(greeting, "protocolVersion");
  if (std::ranges::find(kProtocolVersions, version) != kProtocolVersions.end()) return version;
  return fail(Code::malformed, fmt::format("its protocol version '{}' is not supported",
                                           one_line(version, kShownVersion)));
}

}  // namespace

std::string_view to_string(ServerStatus status) { return kStatuses.of(status); }

Server::Server(ServerConfig config, const Surroundings& surroundings)
    : config_(std::move(config)),
      key_(normalized_name(config_.name)),
      surroundings_(surroundings),
      changes_left_(kMostChanges) {}

Server::~Server() {
  remove();
  if (starter_.joinable()) starter_.join();
  if (connection_) connection_->close();
}

void Server::remove() {
  std::unique_lock lock(mutex_);
  if (removed_.exchange(true)) return;
  auto starter = starter_.get_stop_source();
  const bool close_now = !starting_ && connection_;
  changed_.notify_all();
  lock.unlock();
  if (close_now) connection_->begin_close();
  starter.request_stop();
}

Result<std::unique_ptr<Transport>> Server::make_transport() const {
  using Kind = ServerConfig::Kind;
  switch (config_.kind) {
    case Kind::http:
      return std::make_unique<HttpTransport>(config_.url, headers_of(config_.headers));
    case Kind::sse: return std::make_unique<SseTransport>(config_.url, headers_of(config_.headers));
    case Kind::client:
      if (surroundings_.link == nullptr) return fail(Code::unavailable, "there is no client");
      return std::make_unique<ClientTransport>(*surroundings_.link, config_.name);
    case Kind::stdio: break;
  }
  process::Command command;
  command.argv = {config_.command};
  std::ranges::copy(config_.args, std::back_inserter(command.argv));
  command.cwd = surroundings_.cwd;
  for (const auto* const list : {&surroundings_.environment, &config_.env}) {
    for (const auto& [name, value] : *list) command.env.push_back({name, value});
  }
  return std::make_unique<StdioTransport>(std::move(command));
}

void Server::start() {
  const std::lock_guard lock(mutex_);
  if (removed_ || starting_ || status_ != ServerStatus::pending) return;
  try {
    starter_ = std::jthread([this](const std::stop_token& stop) { run_start(stop); });
    starting_ = true;
  } catch (const std::system_error& error) {
    status_ = ServerStatus::failed;
    failure_ = Error{Code::unavailable, error.what(), {}};
  }
}

void Server::run_start(const std::stop_token& stop) {
  Result<> done;
  try {
    done = connect(stop);
  } catch (const std::exception& error) {
    done = fail(Code::unavailable, error.what());
  }
  if (done) return finish_start(ServerStatus::connected, std::nullopt);
  const bool refused =
      done.error().code == Code::permission && config_.kind != ServerConfig::Kind::stdio;
  auto why = connection_ ? connection_->explained(done.error()) : done.error();
  if (connection_) connection_->begin_close();
  finish_start(refused ? ServerStatus::needs_auth : ServerStatus::failed, std::move(why));
}

void Server::finish_start(ServerStatus status, std::optional<Error> why) {
  std::unique_lock lock(mutex_);
  starting_ = false;
  status_ = status;
  failure_ = std::move(why);
  const bool close_now = removed_ && connection_;
  changed_.notify_all();
  lock.unlock();
  if (close_now) connection_->begin_close();
}

void Server::wait(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, stop, [this] { return removed_ || status_ != ServerStatus::pending; });
}

Result<> Server::connect(const std::stop_token& stop) {
  const auto end = steady_clock::now() + surroundings_.start_limit;
  TRY_ASSIGN(auto transport, make_transport());
  connection_ = std::make_unique<Connection>(std::move(transport), roots_json(surroundings_.cwd));
  TRY(connection_->open());
  TRY_ASSIGN(
      const auto greeting,
      connection_->request(
          "initialize",
          {{"protocolVersion", kProtocolVersions.front()},
           {"capabilities", {{"roots", Document::object()}}},
           {"clientInfo", {{"name", "claude-code"}, {"version", surroundings_.client_version}}}},
          {left_until(end), left_until(end)}, stop));
  TRY_ASSIGN(const auto version, version_of(greeting));
  {
    const std::lock_guard lock(mutex_);
    info_ = std::make_unique<Document>(json::member(greeting, "serverInfo"));
  }
  TRY(connection_->notify("notifications/initialized", end, stop));
  connection_->set_ready(version);
  has_tools_ = !json::member(json::member(greeting, "capabilities"), "tools").is_null();
  if (!has_tools_) return {};
  TRY_ASSIGN(auto tools, list_tools(end, stop));
  take_tools(std::move(tools));  // the first ones are never too large
  return {};
}

Result<std::vector<ToolDefinition>> Server::list_tools(SteadyTime end,
                                                       const std::stop_token& stop) {
  std::vector<ToolDefinition> read;
  std::set<std::string> names;
  std::string cursor;
  std::size_t bytes = 0;
  for (int page = 0; page < kMostPages; ++page) {
    auto params = cursor.empty() ? Document() : Document{{"cursor", cursor}};
    TRY_ASSIGN(const auto answer, connection_->request("tools/list", std::move(params),
                                                       {left_until(end), left_until(end)}, stop));
    for (const auto& tool : json::member(answer, "tools")) {
      auto definition = read_tool(tool, config_.name);
      if (!definition || !names.insert(definition->name).second) continue;
      if (definition->name.size() > kLongestToolName) {
        warn_long_name(*definition);
        continue;
      }
      bytes += size_of(*definition);
      if (read.size() >= kMostTools || bytes > kMostToolBytes) {
        return fail(Code::limit,
                    fmt::format("it has more than {} tools, or more than {} MB of them", kMostTools,
                                kMostToolBytes >> 20));
      }
      read.push_back(*std::move(definition));
    }
    auto next = json::text(answer, "nextCursor");
    if (next.empty()) return read;
    if (next == cursor) break;
    cursor = std::move(next);
  }
  return fail(Code::limit, "its list of tools has no end");
}

void Server::warn_long_name(const ToolDefinition& tool) const {
  if (!surroundings_.warn) return;
  surroundings_.warn(fmt::format(
      "ralph: tool '{}' of MCP server '{}' is left out: the API takes names of up to {} bytes, "
      "'{}' has {}; give the server a shorter name",
      tool.remote_name, config_.name, kLongestToolName, tool.name, tool.name.size()));
}

/// False: together with the earlier ones they are too large.
bool Server::take_tools(std::vector<ToolDefinition> definitions) {
  const std::lock_guard lock(mutex_);
  std::vector<const ServerTool*> now;
  for (auto& definition : definitions) {
    const auto known = std::ranges::find_if(
        all_tools_, [&](const auto& tool) { return tool->definition() == definition; });
    if (known == all_tools_.end()) {
      kept_bytes_ += size_of(definition);
      if (kept_bytes_ > kMostKeptBytes) return false;
      now.push_back(
          all_tools_.emplace_back(std::make_unique<ServerTool>(*this, std::move(definition)))
              .get());
    } else {
      now.push_back(known->get());
    }
  }
  tools_ = std::move(now);
  return true;
}

/// A server that does not answer in time is not asked again, so that it does not delay every request.
void Server::refresh(const std::stop_token& stop) {
  if (stop.stop_requested() || status() != ServerStatus::connected || !has_tools_) return;
  const std::unique_lock refreshing(refreshing_, std::try_to_lock);
  if (!refreshing || !refreshable_ || !connection_->take_tools_changed()) return;
  auto tools =
      list_tools(steady_clock::now() + std::min(kRefreshLimit, surroundings_.start_limit), stop);
  if (!tools && stop.stop_requested()) return connection_->set_tools_changed();
  const auto problem = tools ? "too many changes" : describe(tools.error());
  if (tools && changes_left_-- > 0 && take_tools(*std::move(tools))) return;
  refreshable_ = false;
  if (!surroundings_.warn) return;
  surroundings_.warn(fmt::format(
      "ralph: MCP server '{}' changed its tools, but they cannot be listed ({}); the session "
      "continues with the earlier ones",
      config_.name, problem));
}

ServerStatus Server::status() const {
  const std::lock_guard lock(mutex_);
  if (status_ == ServerStatus::connected && connection_->closed()) return ServerStatus::failed;
  return status_;
}

std::optional<Error> Server::take_failure() {
  const std::lock_guard lock(mutex_);
  return std::exchange(failure_, std::nullopt);
}

std::vector<const ServerTool*> Server::tools() const {
  const std::lock_guard lock(mutex_);
  return status_ == ServerStatus::connected ? tools_ : std::vector<const ServerTool*>();
}

Document Server::server_info() const {
  const std::lock_guard lock(mutex_);
  return info_ ? *info_ : Document();
}

tool::Outcome Server::call(const ToolDefinition& tool, const Document& input,
                           std::string_view call_id, tool::Workspace& workspace,
                           const std::stop_token& stop) const {
  if (removed_) {
    return tool::failure(
        fmt::format("The MCP server '{}' was removed from the session", config_.name));
  }
  const auto limit = config_.timeout.value_or(surroundings_.call_limit);
  const auto total = limit > Millis::max() / kMostExtensions ? limit : limit * kMostExtensions;
  const auto answer = connection_->request("tools/call",
                                           {{"name", tool.remote_name},
                                            {"arguments", input},
                                            {"_meta", {{"claudecode/toolUseId", call_id}}}},
                                           {limit, total}, stop);
  if (answer) return outcome_of(*answer, surroundings_.output_tokens, workspace, stop);
  if (!connection_->closed()) {
    return tool::failure(fmt::format("{} (MCP server '{}')", answer.error().message, config_.name));
  }
  return tool::failure(fmt::format("The MCP server '{}' is no longer running: {}", config_.name,
                                   describe(connection_->explained(answer.error()))));
}

}  // namespace ralph::mcp
