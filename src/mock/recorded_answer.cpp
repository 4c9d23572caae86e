#include "mock/recorded_answer.h"

#include <algorithm>
#include <array>
#include <utility>

#include "core/base/utf8.h"
#include "mock/recorded_stream_impl.h"

namespace ralph::mock {
namespace {

using json::Document;

/// Headers that clients use.
constexpr auto kKeptHeaders = std::to_array<std::string_view>(
    {"content-type", "retry-after", "retry-after-ms", "x-should-retry", "location"});
constexpr std::string_view kKeptPrefix = "anthropic-ratelimit-";

/// Whether a scenario can contain the header: a one-line value and a valid name.
bool is_plain(const http::Header& header) {
  return std::ranges::none_of(header.name + header.value,
                              [](char c) { return static_cast<unsigned char>(c) < 0x20; }) &&
         header.name.find_first_of(": ") == std::string::npos;
}

bool matters(const http::Header& header) {
  if (!is_plain(header)) return false;
  const auto is_it = [&](std::string_view name) {
    return http::equal_ignoring_case(header.name, name);
  };
  return std::ranges::any_of(kKeptHeaders, is_it) ||
         http::equal_ignoring_case(header.name.substr(0, kKeptPrefix.size()), kKeptPrefix);
}

http::Headers kept(const http::Headers& headers) {
  http::Headers some;
  for (const auto& header : headers) {
    if (matters(header)) some.set(utf8::repaired(header.name), utf8::repaired(header.value));
  }
  return some;
}

/// Without the content type, which every error of the API has.
http::Headers kept_of_error(const http::Headers& headers) {
  http::Headers some;
  for (const auto& header : kept(headers)) {
    if (!http::equal_ignoring_case(header.name, "content-type"))
      some.add(header.name, header.value);
  }
  return some;
}

std::optional<Step> read_stream(const http::Response& answer, Ended ended) {
  StreamReader reader;
  http::SseDecoder decoder([&](const http::SseEvent& event) -> Result<> {
    reader.add(event);
    return {};
  });
  if (!decoder.feed(answer.body)) return std::nullopt;
  return reader.finish(ended);
}

std::optional<Step> read_message(const Document& body) {
  const auto content = body.find("content");
  if (body.value("type", Document()) != "message" || content == body.end() ||
      !content->is_array()) {
    return std::nullopt;
  }
  Reply reply;
  for (const auto& block : *content) {
    if (!block.is_object()) return std::nullopt;
    reply.content.push_back(block_of(block));
  }
  read_message_fields(body, reply);
  Step step;
  step.action = std::move(reply);
  return step;
}

/// Only an error with type and message and no other members, which would be lost.
std::optional<Step> read_error(const http::Response& answer, const Document& body) {
  const auto error = body.find("error");
  if (answer.status < 400 || answer.status > 599 || body.value("type", Document()) != "error" ||
      error == body.end() || !error->is_object() || error->size() != 2) {
    return std::nullopt;
  }
  const auto type = error->value("type", Document());
  const auto message = error->value("message", Document());
  const auto* const type_text = type.get_ptr<const std::string*>();
  const auto* const message_text = message.get_ptr<const std::string*>();
  if (type_text == nullptr || message_text == nullptr || type_text->empty() ||
      message_text->empty()) {
    return std::nullopt;
  }
  Step step;
  step.action = Failure{answer.status, *type_text, *message_text, kept_of_error(answer.headers)};
  return step;
}

std::optional<Step> read_json(const http::Response& answer) {
  const auto body = json::parse(answer.body);
  if (!body || !body->is_object()) return std::nullopt;
  auto error = read_error(answer, *body);
  return error || answer.status != 200 ? error : read_message(*body);
}

Step plain(const http::Response& answer, Ended ended) {
  Step step;
  step.action = http::Response{std::clamp(answer.status, 200, 599), kept(answer.headers),
                               utf8::repaired(answer.body)};
  if (ended == Ended::cut) step.troubles = {{Place::in_event, 0, Cut::close}};
  return step;
}

bool is_stream(const http::Response& answer) {
  return answer.status == 200 &&
         answer.headers.find("content-type").value_or("").starts_with("text/event-stream");
}

}  // namespace

Step step_of_answer(const http::Response& answer, Ended ended) {
  std::optional<Step> step;
  if (is_stream(answer)) {
    step = read_stream(answer, ended);
  } else if (ended == Ended::whole) {
    step = read_json(answer);
  }
  return step ? *std::move(step) : plain(answer, ended);
}

}  // namespace ralph::mock
