#include "harness/stream/event_json.h"

#include <cstring>
#include <tuple>
#include <type_traits>

#include <fmt/core.h>

#include "core/json/raw.h"
#include "core/json/writer.h"
#include "harness/stream/dom_parser_impl.h"
#include "harness/stream/line_splitter.h"
#include "harness/stream/names_impl.h"

namespace ralph::stream {
namespace {

template <typename Owner, typename Value>
struct Field {
  std::string_view name;
  Value Owner::* member;
  bool always = false;  // written even when it is empty, zero or false
};
template <typename Owner, typename Value>
Field(std::string_view, Value Owner::*) -> Field<Owner, Value>;
template <typename Owner, typename Value>
Field(std::string_view, Value Owner::*, bool) -> Field<Owner, Value>;

/// The JSON members of each payload, in order: the one place that names them.
template <typename Payload>
constexpr auto fields_of() {
  using P = Payload;
  if constexpr (std::is_same_v<P, SessionStarted>) {
    return std::tuple(Field("session_id", &P::session_id), Field("model", &P::model),
                      Field("cwd", &P::cwd), Field("agent_version", &P::agent_version),
                      Field("permission_mode", &P::permission_mode), Field("tools", &P::tools),
                      Field("resumed", &P::resumed, true));
  } else if constexpr (std::is_same_v<P, TurnStarted>) {
    return std::tuple(Field("n", &P::n, true));
  } else if constexpr (std::is_same_v<P, Text>) {
    return std::tuple(Field("text", &P::text, true), Field("delta", &P::delta, true),
                      Field("final", &P::final, true), Field("message_id", &P::message_id));
  } else if constexpr (std::is_same_v<P, Thinking>) {
    return std::tuple(Field("text", &P::text, true), Field("delta", &P::delta, true));
  } else if constexpr (std::is_same_v<P, ToolCall>) {
    return std::tuple(Field("call_id", &P::call_id), Field("name", &P::name, true),
                      Field("kind", &P::kind), Field("detail", &P::detail),
                      Field("input", &P::input));
  } else if constexpr (std::is_same_v<P, ToolOutput>) {
    return std::tuple(Field("call_id", &P::call_id), Field("stream", &P::stream),
                      Field("text", &P::text, true));
  } else if constexpr (std::is_same_v<P, ToolResult>) {
    return std::tuple(Field("call_id", &P::call_id), Field("name", &P::name), Field("ok", &P::ok),
                      Field("exit_code", &P::exit_code), Field("output", &P::output, true),
                      Field("denied", &P::denied, true));
  } else if constexpr (std::is_same_v<P, Usage>) {
    return std::tuple(Field("scope", &P::scope), Field("model", &P::model),
                      Field("message_id", &P::message_id), Field("tokens", &P::tokens),
                      Field("cost_usd", &P::cost_usd), Field("context_window", &P::context_window),
                      Field("partial", &P::partial, true));
  } else if constexpr (std::is_same_v<P, Retry>) {
    return std::tuple(Field("attempt", &P::attempt, true), Field("max", &P::max),
                      Field("delay_ms", &P::delay_ms), Field("http_status", &P::http_status),
                      Field("class", &P::error_class), Field("message", &P::message));
  } else if constexpr (std::is_same_v<P, Notice>) {
    return std::tuple(Field("level", &P::level), Field("topic", &P::topic),
                      Field("message", &P::message, true), Field("value", &P::value));
  } else if constexpr (std::is_same_v<P, ErrorEvent>) {
    return std::tuple(Field("class", &P::error_class), Field("message", &P::message, true),
                      Field("http_status", &P::http_status), Field("resets_at", &P::resets_at),
                      Field("call_id", &P::call_id), Field("tool", &P::tool),
                      Field("says_remedy", &P::says_remedy));
  } else if constexpr (std::is_same_v<P, TurnEnded>) {
    return std::tuple(Field("text", &P::text, true), Field("structured", &P::structured),
                      Field("is_error", &P::is_error, true), Field("end", &P::end),
                      Field("reason", &P::reason), Field("error", &P::error),
                      Field("says_remedy", &P::says_remedy), Field("origin", &P::origin),
                      Field("session_id", &P::session_id), Field("usage", &P::usage),
                      Field("total_cost_usd", &P::total_cost_usd), Field("turns", &P::turns, true),
                      Field("duration_ms", &P::duration_ms, true), Field("denials", &P::denials),
                      Field("http_status", &P::http_status));
  } else if constexpr (std::is_same_v<P, RunResult>) {
    return std::tuple(
        Field("status", &P::status), Field("outcome", &P::outcome), Field("why", &P::why),
        Field("headline", &P::headline), Field("detail", &P::detail),
        Field("addition", &P::addition), Field("hint", &P::hint), Field("text", &P::text, true),
        Field("structured", &P::structured), Field("session_id", &P::session_id),
        Field("model", &P::model), Field("usage", &P::usage), Field("cost_usd", &P::cost_usd),
        Field("cost_source", &P::cost_source), Field("usage_is_minimum", &P::usage_is_minimum),
        Field("turns", &P::turns, true), Field("duration_ms", &P::duration_ms, true),
        Field("exit_code", &P::exit_code), Field("signal", &P::signal),
        Field("denials", &P::denials, true), Field("skipped_lines", &P::skipped_lines, true),
        Field("degraded", &P::degraded, true), Field("agent_version", &P::agent_version),
        Field("streamed_text", &P::streamed_text), Field("denied", &P::denied, true),
        Field("raw_log", &P::raw_log), Field("attempts", &P::attempts));
  } else {
    static_assert(std::is_same_v<P, Unknown>);
    return std::tuple(Field("unknown_type", &P::type), Field("raw_line", &P::raw));
  }
}

constexpr auto token_fields() {
  return std::tuple(Field("input_uncached", &Tokens::input_uncached, true),
                    Field("cache_read", &Tokens::cache_read, true),
                    Field("cache_write", &Tokens::cache_write, true),
                    Field("output", &Tokens::output, true), Field("reasoning", &Tokens::reasoning));
}

// ---- writing ----

using json::ObjectWriter;

void put(ObjectWriter& out, std::string_view name, std::string_view value, bool always) {
  if (always || !value.empty()) out.text(name, value);
}
void put(ObjectWriter& out, std::string_view name, const RawJson& value, bool) {
  if (!value.text.empty()) out.raw(name, value.text);
}
void put(ObjectWriter& out, std::string_view name, bool value, bool always) {
  if (always || value) out.boolean(name, value);
}
void put(ObjectWriter& out, std::string_view name, std::int64_t value, bool always) {
  if (always || value != 0) out.number(name, value);
}
void put(ObjectWriter& out, std::string_view name, double value, bool) { out.number(name, value); }
void put(ObjectWriter& out, std::string_view name, const Tokens& value, bool) {
  std::string text;
  ObjectWriter object(text);
  std::apply(
      [&](const auto&... field) {
        (put(object, field.name, value.*field.member, field.always), ...);
      },
      token_fields());
  object.close();
  out.raw(name, text);
}
template <typename Enum>
  requires std::is_enum_v<Enum>
void put(ObjectWriter& out, std::string_view name, Enum value, bool) {
  out.text(name, name_of(value));
}
void put(ObjectWriter& out, std::string_view name, TurnEndReason value, bool) {
  if (value != TurnEndReason::other) out.text(name, name_of(value));
}
template <typename T>
void put(ObjectWriter& out, std::string_view name, const std::optional<T>& value, bool) {
  if (value) put(out, name, *value, true);
}

// ---- reading ----

struct Source {
  View object;
  std::string_view text;  // the same object as text, for RawJson
};

void get(const Source& from, std::string_view name, std::string_view& value) {
  value = from.object[name].text();
}
void get(const Source& from, std::string_view name, RawJson& value) {
  value.text = json::locate(from.text, {name});
}
void get(const Source& from, std::string_view name, bool& value) {
  value = from.object[name].maybe_truth().value_or(value);
}
void get(const Source& from, std::string_view name, std::int64_t& value) {
  value = from.object[name].maybe_integer().value_or(value);
}
void get(const Source& from, std::string_view name, std::optional<bool>& value) {
  value = from.object[name].maybe_truth();
}
void get(const Source& from, std::string_view name, std::optional<std::int64_t>& value) {
  value = from.object[name].maybe_integer();
}
void get(const Source& from, std::string_view name, std::optional<double>& value) {
  value = from.object[name].maybe_real();
}
void get(const Source& from, std::string_view name, Tokens& value) {
  const Source object{from.object[name], {}};
  std::apply([&](const auto&... field) { (get(object, field.name, value.*field.member), ...); },
             token_fields());
}
template <typename Enum>
  requires std::is_enum_v<Enum>
void get(const Source& from, std::string_view name, Enum& value) {
  value = named<Enum>(from.object[name].text()).value_or(value);
}

template <typename P>
Payload read_payload(const Source& from) {
  P payload;
  std::apply([&](const auto&... field) { (get(from, field.name, payload.*field.member), ...); },
             fields_of<P>());
  return payload;
}

template <std::size_t... I>
std::optional<Payload> read_any(std::string_view type, const Source& from,
                                std::index_sequence<I...>) {
  std::optional<Payload> payload;
  ((kTypeNames[I] == type
        ? void(payload = read_payload<std::variant_alternative_t<I, Payload>>(from))
        : void()),
   ...);
  return payload;
}

}  // namespace

void encode(const Event& event, std::string& out) {
  ObjectWriter object(out);
  object.number("seq", event.seq).number("t_ms", event.t_ms);
  put(object, "agent", event.agent, false);
  put(object, "run_id", event.run_id, false);
  object.number("line", event.line);
  put(object, "parent", event.parent, false);
  object.text("type", type_name(event.what));
  std::visit(
      [&]<typename P>(const P& payload) {
        std::apply(
            [&](const auto&... field) {
              (put(object, field.name, payload.*field.member, field.always), ...);
            },
            fields_of<P>());
      },
      event.what);
  object.close();
}

std::string encode(const Event& event) {
  std::string out;
  encode(event, out);
  return out;
}

struct EventReader::State {
  DomParser parser;
  std::string padded;
};

EventReader::EventReader() : state_(std::make_unique<State>()) {}
EventReader::~EventReader() = default;

Result<Event> EventReader::decode(std::string_view line) {
  auto& padded = state_->padded;
  padded.assign(line);
  padded.append(LineSplitter::kPadding, '\0');
  std::string_view text(padded.data(), line.size());
  const View root = state_->parser.parse(text);
  if (!root) return fail(Code::malformed, "not an event: no JSON");
  const Source from{root, text};
  const auto type = from.object["type"].text();
  auto payload = read_any(type, from, std::make_index_sequence<std::variant_size_v<Payload>>());
  if (!payload) return fail(Code::malformed, fmt::format("'{}' is not a type of event", type));
  Event event;
  get(from, "seq", event.seq);
  get(from, "t_ms", event.t_ms);
  get(from, "agent", event.agent);
  get(from, "run_id", event.run_id);
  get(from, "line", event.line);
  get(from, "parent", event.parent);
  event.what = *payload;
  return event;
}

}  // namespace ralph::stream
