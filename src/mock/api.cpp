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

Plan error(const Call& call, const Failure& failure) {
  auto response = json_response(call, failure.status,
                                {{"type", "error"},
                                 {"error", {{"type", failure.type}, {"message", failure.message}}},
                                 {"request_id", call.request_id}});
  for (const auto& header : failure.headers) response.headers.set(header.name, header.value);
  return {std::move(response)};
}

Plan error(const Call& call, int status, std::string message) {
  return error(call, Failure{status, std::string(error_type(status)), std::move(message), {}});
}

// --- POST /v1/messages ---

struct Required {
  const char* key;
  bool (Document::*is)() const noexcept;
  std::string_view wanted;
};

/// What the API itself insists on.
constexpr auto kRequired = std::to_array<Required>({
    {"model", &Document::is_string, "a string"},
    {"max_tokens", &Document::is_number_integer, "an integer"},
    {"messages", &Document::is_array, "an array"},
});

/// What is wrong with the body; empty: nothing.
std::string complaint(const Call& call) {
  if (call.body == nullptr || !call.body->is_object()) return "the request body is not valid JSON";
  for (const auto& required : kRequired) {
    const auto found = call.body->find(required.key);
    if (found == call.body->end()) return fmt::format("{}: Field required", required.key);
    if (!((*found).*required.is)()) {
      return fmt::format("{}: Input should be {}", required.key, required.wanted);
    }
  }
  return {};
}

bool wants_stream(const Document& body) {
  return body.value("stream", Document()) == Document(true);
}

Plan act(const Reply& reply, const Call& call, Script& script) {
  const auto message = script.message(reply, *call.body, call.request.body.size());
  if (wants_stream(*call.body)) {
    return {EventStream{message_events(message, reply.chunk_size), reply.chunk_delay}};
  }
  auto response = json_response(call, 200, {});
  response.body = message_json(message);
  return {std::move(response)};
}

Plan act(const Failure& failure, const Call& call, Script&) { return error(call, failure); }

Plan messages(const Call& call, Script& script) {
  if (auto wrong = complaint(call); !wrong.empty()) return error(call, 400, std::move(wrong));
  const auto* step = script.next(*call.body);
  if (step == nullptr) {
    return error(call, kNoStepLeft, "ralph mock: the scenario has no step left for this request");
  }
  auto planned =
      std::visit([&](const auto& action) { return act(action, call, script); }, step->action);
  planned.delay = step->delay;
  planned.step = step->number;
  return planned;
}

// --- the rest ---

Plan count_tokens(const Call& call, Script&) {
  return {json_response(call, 200, {{"input_tokens", estimated_tokens(call.request.body.size())}})};
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
  return {json_response(call, 200,
                        {{"data", std::move(list)},
                         {"has_more", false},
                         {"first_id", kModels.front().id},
                         {"last_id", kModels.back().id}})};
}

struct Route {
  std::string_view path;  // behind any prefix
  Plan (*answer)(const Call&, Script&);
};
constexpr auto kRoutes = std::to_array<Route>({
    {"/v1/messages", messages},
    {"/v1/messages/count_tokens", count_tokens},
    {"/v1/models", models},
});

bool is_post(const http::Request& request) { return request.method == "POST"; }

}  // namespace

int Plan::status() const {
  const auto* response = std::get_if<http::Response>(&answer);
  return response == nullptr ? 200 : response->status;
}

Plan plan(const Call& call, Script& script) {
  const auto& request = call.request;
  if (request.method == "HEAD") return {http::Response{200, {{"request-id", call.request_id}}, ""}};
  const auto* const route = std::ranges::find_if(
      kRoutes, [&](const Route& one) { return request.path.ends_with(one.path); });
  if (route == kRoutes.end()) {
    return error(call, 404, fmt::format("ralph mock does not know {}", request.path));
  }
  if (!is_post(request) && route->answer != models) {
    return error(call, 405, fmt::format("{} needs POST, not {}", route->path, request.method));
  }
  return route->answer(call, script);
}

}  // namespace ralph::mock
