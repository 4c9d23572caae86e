#include "mock/api.h"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

namespace ralph::mock {
namespace {

using json::Document;

constexpr int kNoStepLeft = 400;  // a status no client tries again

http::Response json_response(const Call& call, int status, const Document& body) {
  return {status,
          {{"content-type", "application/json"}, {"request-id", call.request_id}},
          json::write(body)};
}

Plan whole(http::Response response) { return {playback_of(std::move(response), {}), {}, {}, {}}; }

http::Response error_response(const Call& call, const Failure& failure) {
  auto response = json_response(call, failure.status,
                                {{"type", "error"},
                                 {"error", {{"type", failure.type}, {"message", failure.message}}},
                                 {"request_id", call.request_id}});
  for (const auto& header : failure.headers) response.headers.set(header.name, header.value);
  return response;
}

Plan error(const Call& call, int status, std::string message) {
  return whole(error_response(
      call, Failure{status, std::string(error_type(status)), std::move(message), {}}));
}

// --- POST /v1/messages ---

struct Required {
  const char* key;
  bool (Document::*is)() const noexcept;
  std::string_view wanted;
};

/// Members that the API requires.
constexpr auto kRequired = std::to_array<Required>({
    {"model", &Document::is_string, "a string"},
    {"max_tokens", &Document::is_number_integer, "an integer"},
    {"messages", &Document::is_array, "an array"},
});

/// The error in the body; empty: none.
std::string complaint(const Call& call) {
  if (call.body == nullptr || !call.body->is_object()) return "the request body is not valid JSON";
  for (const auto& required : kRequired) {
    const auto found = call.body->find(required.key);
    if (found == call.body->end()) return fmt::format("{}: Field required", required.key);
    if (!((*found).*required.is)()) {
      return fmt::format("{}: Input should be {}", required.key, required.wanted);
    }
  }
  if (const auto marks = cache_marks(*call.body); marks > kMostCacheMarks) {
    return fmt::format("A maximum of {} blocks with cache_control may be provided. Found {}.",
                       kMostCacheMarks, marks);
  }
  return {};
}

bool wants_stream(const Document& body) {
  return body.value("stream", Document()) == Document(true);
}

http::Headers stream_headers(const Call& call) {
  return {{"content-type", "text/event-stream; charset=utf-8"},
          {"cache-control", "no-cache"},
          {"request-id", call.request_id}};
}

/// The step's error event; it becomes the answer to a request without streaming.
const ErrorEvent* error_event(const Step& step) {
  for (const auto& trouble : step.troubles) {
    if (const auto* error = std::get_if<ErrorEvent>(&trouble.incident)) return error;
  }
  return nullptr;
}

Playback act(const Reply& reply, const Step& step, const Call& call, Script& script,
             std::string& usage) {
  const auto message = script.message(reply, call.request, call.body);
  usage = usage_json(message.usage);
  if (call.body != nullptr && wants_stream(*call.body)) {
    auto playback = playback_of(message_events(message, reply.chunk_size), reply, step.troubles);
    playback.headers = stream_headers(call);
    return playback;
  }
  if (const auto* error = error_event(step)) {
    const auto status = error_status(error->type);
    return playback_of(
        error_response(call, {status == 0 ? 500 : status, error->type, error->message, {}}), {});
  }
  auto response = json_response(call, 200, {});
  response.body = message_json(message);
  return playback_of(std::move(response), step.troubles);
}

Playback act(const Failure& failure, const Step& step, const Call& call, Script&, std::string&) {
  return playback_of(error_response(call, failure), step.troubles);
}

Playback act(const http::Response& response, const Step& step, const Call&, Script&, std::string&) {
  return playback_of(response, step.troubles);
}

Plan perform_step(const Step& step, const Call& call, Script& script) {
  std::string usage;
  auto playback = std::visit(
      [&](const auto& action) { return act(action, step, call, script, usage); }, step.action);
  return {std::move(playback), step.delay, step.number, std::move(usage)};
}

Plan messages(const Call& call, Script& script) {
  const auto* const step = script.in_order();
  if (step != nullptr) return perform_step(*step, call, script);
  return error(call, kNoStepLeft, "ralph mock: the scenario has no step left for this request");
}

// --- the rest ---

Plan count_tokens(const Call& call, Script&) {
  return whole(
      json_response(call, 200, {{"input_tokens", estimated_tokens(call.request.body.size())}}));
}

struct Model {
  std::string_view id;
  std::string_view name;
};
constexpr auto kModels = std::to_array<Model>({
    {"claude-opus-5-5", "Claude Opus 5.5"},
    {"claude-sonnet-5-5", "Claude Sonnet 5.5"},
    {"claude-haiku-5-5", "Claude Haiku 5.5"},
});

Document model_json(const Model& model) {
  return {{"type", "model"},
          {"id", model.id},
          {"display_name", model.name},
          {"created_at", "2026-01-01T00:00:00Z"}};
}

Plan models(const Call& call, Script&) {
  auto list = Document::array();
  for (const auto& model : kModels) list.push_back(model_json(model));
  return whole(json_response(call, 200,
                             {{"data", std::move(list)},
                              {"has_more", false},
                              {"first_id", kModels.front().id},
                              {"last_id", kModels.back().id}}));
}

Plan model(const Call& call, Script&) {
  const std::string_view path = call.request.path;
  const auto id = path.substr(path.rfind('/') + 1);
  const auto* const found = std::ranges::find(kModels, id, &Model::id);
  if (found == kModels.end()) return error(call, 404, fmt::format("model: {}", id));
  return whole(json_response(call, 200, model_json(*found)));
}

struct Route {
  std::string_view method;
  std::string_view path;  // without prefix
  Plan (*answer)(const Call&, Script&);
};
constexpr auto kRoutes = std::to_array<Route>({
    {"POST", kMessagesPath, messages},
    {"POST", "/v1/messages/count_tokens", count_tokens},
    {"GET", "/v1/models", models},
    {"GET", "/v1/models/*", model},
});

/// "/v1/models/*" matches "/v1/models/claude" but no deeper path.
bool matches(const Route& route, std::string_view path) {
  if (!route.path.ends_with('*')) return path.ends_with(route.path);
  const auto folder = path.substr(0, path.rfind('/') + 1);
  return folder != path && folder.ends_with(route.path.substr(0, route.path.size() - 1));
}

}  // namespace

Plan plan(const Call& call, Script& script) {
  const auto& request = call.request;
  if (request.method == "HEAD") {
    return whole({200, {{"request-id", call.request_id}}, ""});
  }
  const auto* const route =
      std::ranges::find_if(kRoutes, [&](const Route& one) { return matches(one, request.path); });
  const bool known = route != kRoutes.end();
  if (known && route->answer == messages && request.method == route->method) {
    if (auto wrong = complaint(call); !wrong.empty()) return error(call, 400, std::move(wrong));
  }
  if (const auto* step = script.matching(request, call.body)) {
    return perform_step(*step, call, script);
  }
  if (!known) return error(call, 404, fmt::format("ralph mock does not know {}", request.path));
  if (request.method != route->method) {
    return error(call, 405,
                 fmt::format("{} needs {}, not {}", route->path, route->method, request.method));
  }
  return route->answer(call, script);
}

}  // namespace ralph::mock
