#include "agent/mcp/call_result.h"

#include <algorithm>
#include <string>
#include <utility>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "agent/tool/base64.h"
#include "agent/tool/picture.h"
#include "agent/tool/token_estimate.h"
#include "core/base/utf8.h"
#include "core/json/field.h"

namespace ralph::mcp {
namespace {

using json::Document;

/// What a block takes besides its text, so that many short ones are bounded too.
constexpr std::int64_t kTokensOfABlock = 8;
constexpr int kMostPictures = 100;  // as many as a request may have

/// Builds the blocks of a result; all texts share one bound.
class ResultBlocks {
 public:
  ResultBlocks(std::int64_t most_tokens, tool::Workspace& workspace, const std::stop_token& stop)
      : most_(most_tokens), left_(most_tokens), workspace_(workspace), stop_(stop) {}

  void add(const Document& block) {
    const auto type = json::text(block, "type");
    if (type == "text") return add_text(json::text(block, "text"));
    if (type == "image") return add_picture(block, "data");
    if (type == "resource") return add_resource(json::member(block, "resource"));
    if (type == "resource_link") return add_link(block);
    add_text(fmt::format("[content of type '{}' ({}) is not supported]", type,
                         json::text(block, "mimeType")));
  }

  void add_text(std::string_view text) {
    if (full_) return;
    const auto tokens = tool::estimated_tokens(text) + kTokensOfABlock;
    if (tokens <= left_) {
      left_ -= tokens;
      return push(text);
    }
    full_ = true;
    auto shown = utf8::prefix(
        text, text.size() / static_cast<std::size_t>(tokens) * static_cast<std::size_t>(left_));
    while (tool::estimated_tokens(shown) > left_)
      shown = utf8::prefix(shown, shown.size() * 9 / 10);
    push(
        fmt::format("{}\n[cut here: the output has more than {} tokens (MAX_MCP_OUTPUT_TOKENS); {} "
                    "of {} bytes of this text are shown. Ask for less, such as with filters or "
                    "pages.]",
                    shown, most_, shown.size(), text.size()));
  }

  /// All texts, one after the other.
  std::string text() const {
    std::string all;
    for (const auto& block : blocks_) {
      if (const auto* const text = json::find_text(block, "text")) {
        if (!all.empty()) all += '\n';
        all += *text;
      }
    }
    return all;
  }
  Document take() { return std::move(blocks_); }

 private:
  void push(std::string_view text) { blocks_.push_back({{"type", "text"}, {"text", text}}); }

  void add_picture(const Document& block, std::string_view key) {
    const auto* const data = json::find_text(block, key);
    const auto bytes = data == nullptr ? std::nullopt : tool::base64_decoded(*data);
    if (!bytes) return add_text("[a picture that is not valid base64]");
    if (++pictures_ > kMostPictures) {
      return add_text(fmt::format("[a picture beyond the first {}, not shown]", kMostPictures));
    }
    const auto outcome = tool::show_picture_bytes(*bytes, workspace_, stop_);
    const auto content = json::parse(outcome.content);
    if (!content || !content->is_array()) {
      return add_text(fmt::format("[{}]", content && content->is_string()
                                              ? content->get<std::string>()
                                              : "a picture that cannot be shown"));
    }
    for (const auto& shown : *content) blocks_.push_back(shown);
  }

  void add_resource(const Document& resource) {
    const auto uri = json::text(resource, "uri");
    if (const auto* const text = json::find_text(resource, "text")) {
      return add_text(fmt::format("[Resource at {}]\n{}", uri, *text));
    }
    const auto type = json::text(resource, "mimeType");
    if (type.starts_with("image/")) return add_picture(resource, "blob");
    const auto* const blob = json::find_text(resource, "blob");
    add_text(fmt::format("[Resource at {}: {} bytes of type '{}', not shown]", uri,
                         blob == nullptr ? 0 : blob->size() / 4 * 3, type));
  }

  void add_link(const Document& link) {
    add_text(
        fmt::format("[Resource link: {}] {}", json::text(link, "name"), json::text(link, "uri")));
    if (const auto about = json::text(link, "description"); !about.empty()) add_text(about);
  }

  std::int64_t most_, left_;
  tool::Workspace& workspace_;
  const std::stop_token& stop_;
  bool full_ = false;
  int pictures_ = 0;
  Document blocks_ = Document::array();
};

/// Clients get the content as the model does, and the object as the server sent it.
tool::Outcome structured_outcome(const Document& object, ResultBlocks blocks) {
  blocks.add_text(json::write(object));
  const Document content = blocks.text();
  tool::Outcome outcome{.content = json::write(content), .is_error = std::nullopt, .detail = {}};
  outcome.detail = json::write({{"content", content}, {"structuredContent", object}});
  return outcome;
}

bool has_media(const Document& content) {
  return std::ranges::any_of(
      content, [](const Document& block) { return json::text(block, "type") != "text"; });
}

}  // namespace

tool::Outcome outcome_of(const Document& result, std::int64_t most_tokens,
                         tool::Workspace& workspace, const std::stop_token& stop) {
  const auto& content = json::member(result, "content");
  const auto& object = json::member(result, "structuredContent");
  const bool failed = json::boolean(result, "isError");
  ResultBlocks blocks(most_tokens, workspace, stop);
  if (!content.is_array() && !object.is_object()) {
    return tool::failure("the MCP server's answer has no content");
  }
  if (!failed && object.is_object() && !has_media(content)) {
    return structured_outcome(object, std::move(blocks));
  }
  for (const auto& block : content) blocks.add(block);
  if (failed) {
    const auto text = blocks.text();
    return tool::failure(text.empty() ? "the MCP tool failed without a message" : text);
  }
  auto shown = blocks.take();
  if (shown.empty()) shown.push_back({{"type", "text"}, {"text", "(no output)"}});
  const auto text = json::write(shown);
  return {.content = text, .is_error = std::nullopt, .detail = text};
}

}  // namespace ralph::mcp
