
#include <fmt/core.h>

#include "core/base/number.h"
#include "core/base/utf8.h"
#include "core/json/raw.h"
#include "harness/stream/claude_impl.h"
#include "harness/stream/claude_tools_impl.h"

namespace ralph::stream {
namespace {

constexpr std::size_t kMostOpenCalls = 4096;
constexpr std::size_t kLongestCallKey = 256;

/// "Exit code 3\n…" is how the Bash tool reports a failed command.
std::optional<std::int64_t> leading_exit_code(std::string_view output) {
  constexpr std::string_view kWords = "Exit code ";
  if (!output.starts_with(kWords)) return std::nullopt;
  output.remove_prefix(kWords.size());
  return leading_number<std::int64_t>(output);
}

/// The calls that were not allowed, by id.
std::set<std::string_view> rejected_calls(View meta) {
  std::set<std::string_view> rejected;
  meta.each([&](View entry) {
    if (entry["permission_decision"]["decision"].text() == "reject") {
      rejected.insert(entry["id"].text());
    }
  });
  return rejected;
}

}  // namespace

std::string call_key(std::string_view call_id) {
  return std::string(call_id.substr(0, kLongestCallKey));
}

Tokens read_usage(View usage) {
  Tokens tokens;
  usage.each_member([&](std::string_view key, View value) {
    if (key == "input_tokens")
      tokens.input_uncached = value.integer();
    else if (key == "cache_read_input_tokens")
      tokens.cache_read = value.integer();
    else if (key == "cache_creation_input_tokens")
      tokens.cache_write = value.integer();
    else if (key == "output_tokens")
      tokens.output = value.integer();
    else if (key == "output_tokens_details")
      tokens.reasoning = value["thinking_tokens"].integer();
  });
  return tokens;
}

void ClaudeDialect::assistant(const Line& line) {
  if (line.root["is_api_error_message"].truth()) return assistant_error(line);
  const auto message = line.root["message"];
  const auto id = message["id"].text();
  const auto model = message["model"].text();
  if (id != usage_of_ && !id.empty() && model != "<synthetic>") {
    usage_of_ = id;
    line.emit(Usage{UsageScope::request, model, id, read_usage(message["usage"]), {}, {}, true});
  }
  const auto content = message["content"];
  if (content.is_text()) line.emit(Text{content.text(), false, true, id});
  std::size_t index = 0;
  json::Elements elements(json::locate_start(line.text, {"message", "content"}));
  content.each([&](View block) {
    const auto type = block["type"].text();
    if (type == "text") {
      line.emit(Text{block["text"].text(), false, true, id});
    } else if (type == "thinking" || type == "redacted_thinking") {
      line.emit(Thinking{block["thinking"].text(), false});
    } else if (type.ends_with("tool_use")) {
      tool_call(line, block, elements.start(index));
    } else {
      line.emit(Unknown{keep(fmt::format("assistant/{}", type)),
                        RawJson{json::locate(elements.start(index), {})}});
    }
    ++index;
  });
  if (!content.is_text() && index == 0) line.note(Level::debug, "empty_message", {});
}

/// The CLI reports a failed API request as a message of its own making.
void ClaudeDialect::assistant_error(const Line& line) {
  const auto http_status = line.root["api_error_status"].maybe_integer();
  const auto error_class = classify_error(line.root["error"].text(), http_status);
  // Only ralph's own agent says when a limit resets.
  const auto resets_at = unix_seconds(line.root["resets_at"].maybe_integer());
  ErrorEvent error;
  error.error_class = error_class;
  error.message = result_text(line.root["message"]["content"]);
  error.http_status = http_status;
  error.resets_at = resets_at;
  error.says_remedy = says_remedy(error.message);
  line.emit(error);
}

/// `raw` is the line from where the block starts.
void ClaudeDialect::tool_call(const Line& line, View block, std::string_view raw) {
  const auto id = block["id"].text();
  const auto name = block["name"].text();
  std::string scratch;
  auto detail = detail_of_call(name, block["input"], scratch);
  if (!scratch.empty()) detail = keep(std::move(scratch));
  if (calls_.size() >= kMostOpenCalls) calls_.clear();
  calls_.insert_or_assign(call_key(id),
                          OpenCall{std::string(utf8::prefix(name, kLongestCallKey)), false});
  line.emit(ToolCall{id, name, kind_of_tool(name), detail, RawJson{json::locate(raw, {"input"})}});
}

void ClaudeDialect::user(const Line& line) {
  const auto content = line.root["message"]["content"];
  const auto rejected = rejected_calls(line.root["tool_result_meta"]);
  bool said = false;
  content.each([&](View block) {
    said = true;
    if (block["type"].text() == "tool_result") {
      tool_result(line, block, rejected);
    } else {
      line.note(Level::debug, "user_message", block["text"].text());
    }
  });
  if (!said) line.note(Level::debug, "user_message", content.text());
}

void ClaudeDialect::tool_result(const Line& line, View block,
                                const std::set<std::string_view>& rejected) {
  ToolResult result;
  result.call_id = block["tool_use_id"].text();
  result.ok = !block["is_error"].truth();
  result.output = result_text(block["content"]);
  result.denied = rejected.contains(result.call_id);
  if (const auto call = calls_.find(call_key(result.call_id)); call != calls_.end()) {
    result.name = keep(std::move(call->second.name));
    result.denied = result.denied || call->second.denied;
    calls_.erase(call);
  }
  if (!*result.ok) result.exit_code = leading_exit_code(result.output);
  line.emit(result);
}

/// The content of a message or a tool result, which is a string or a list of blocks, as one text.
std::string_view ClaudeDialect::result_text(View content) {
  if (content.is_text()) return content.text();
  std::string_view only;
  std::string joined;
  std::size_t parts = 0;
  content.each([&](View block) {
    const auto type = block["type"].text();
    const auto text =
        type == "text" ? block["text"].text() : std::string_view(keep(fmt::format("[{}]", type)));
    if (++parts == 1) {
      only = text;
    } else {
      if (parts == 2) joined = only;
      joined.append("\n").append(text);
    }
  });
  return parts < 2 ? only : keep(std::move(joined));
}

void ClaudeDialect::stream_event(const Line& line) {
  const auto event = line.root["event"];
  const auto type = event["type"].text();
  const auto id = line.root["api_message_id"].text();
  if (type == "content_block_delta") {
    block_delta(line, event["delta"]);
  } else if (type == "message_start") {
    const auto message = event["message"];
    request_ = read_usage(message["usage"]);
    request_model_ = message["model"].text();
    usage_of_ = message["id"].text();
    line.emit(Usage{UsageScope::request, request_model_, usage_of_, request_, {}, {}, true});
  } else if (type == "message_delta") {
    Tokens tokens = read_usage(event["usage"]);
    if (!tokens.has_prompt()) {
      tokens.input_uncached = request_.input_uncached;
      tokens.cache_read = request_.cache_read;
      tokens.cache_write = request_.cache_write;
    }
    line.emit(Usage{
        UsageScope::request, request_model_, id.empty() ? usage_of_ : id, tokens, {}, {}, false});
  } else {
    line.note(Level::debug, "stream", type);
  }
}

void ClaudeDialect::block_delta(const Line& line, View delta) {
  const auto type = delta["type"].text();
  if (type == "text_delta") {
    line.emit(Text{delta["text"].text(), true, false, line.root["api_message_id"].text()});
  } else if (type == "thinking_delta") {
    line.emit(Thinking{delta["thinking"].text(), true});
  } else {
    line.note(Level::debug, "stream", type);
  }
}

}  // namespace ralph::stream
