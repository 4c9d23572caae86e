#include "agent/session/media.h"

#include <algorithm>
#include <functional>
#include <optional>
#include <span>
#include <string>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "agent/tool/base64.h"
#include "agent/tool/pdf.h"
#include "core/json/document.h"
#include "core/json/field.h"

namespace ralph::session {
namespace {

using api::MediaKind;

constexpr std::int64_t kLargeWindow = 1'000'000;

/// A picture or document, and where it is.
struct Medium {
  api::MediaPlace place;
  MediaKind kind = MediaKind::picture;
  std::int64_t items = 1;
};

bool may_hold_media(std::string_view content) {
  return content.contains(R"("type":"image")") || content.contains(R"("type":"document")");
}

MediaKind kind_of(const json::Document& block) {
  const auto type = json::text(block, "type");
  if (type == "image") return MediaKind::picture;
  return type == "document" ? MediaKind::document : MediaKind::any;
}

/// Of a document: its known pages; a text has none.
std::int64_t items_of(const json::Document& block) {
  if (kind_of(block) == MediaKind::picture || !block.contains("source")) return 1;
  const auto& source = block["source"];
  if (json::text(source, "type") == "text") return 0;
  const auto bytes = tool::base64_decoded(json::text(source, "data"));
  return bytes ? std::max<std::int64_t>(1, static_cast<std::int64_t>(tool::known_pages(*bytes)))
               : 1;
}

using Visit = std::function<void(json::Document& block, const api::MediaPlace& place)>;

/// The pictures and documents of a message, also those in results of tools.
void visit_media(json::Document& blocks, std::size_t message, const Visit& visit) {
  if (!blocks.is_array()) return;
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    auto& block = blocks[i];
    if (kind_of(block) != MediaKind::any) visit(block, {message, i, std::nullopt});
    if (json::text(block, "type") != "tool_result" || !block.contains("content")) continue;
    auto& parts = block["content"];
    for (std::size_t k = 0; parts.is_array() && k < parts.size(); ++k) {
      if (kind_of(parts[k]) != MediaKind::any) visit(parts[k], {message, i, k});
    }
  }
}

/// Oldest first.
std::vector<Medium> media_of(std::span<const api::Message> messages) {
  std::vector<Medium> found;
  for (std::size_t i = 0; i < messages.size(); ++i) {
    if (messages[i].role != api::Role::user || !may_hold_media(messages[i].content)) continue;
    auto blocks = json::parse(messages[i].content);
    if (!blocks) continue;
    visit_media(*blocks, i, [&](json::Document& block, const api::MediaPlace& place) {
      found.push_back({place, kind_of(block), items_of(block)});
    });
  }
  return found;
}

std::string_view name_of(MediaKind kind) {
  return kind == MediaKind::document ? "Document" : "Image";
}

/// `chosen`: in their order. `why`: a sentence for the model.
void replace(std::vector<api::Message>& messages, std::span<const Medium> chosen,
             std::string_view why) {
  while (!chosen.empty()) {
    const auto message = chosen.front().place.message;
    auto blocks = json::parse(messages[message].content);
    if (!blocks) return;
    visit_media(*blocks, message, [&](json::Document& block, const api::MediaPlace& place) {
      if (chosen.empty() || chosen.front().place != place) return;
      const auto text = fmt::format("[{} removed: {}]", name_of(chosen.front().kind), why);
      block = {{"type", "text"}, {"text", text}};
      chosen = chosen.subspan(1);
    });
    messages[message].content = json::write(*blocks);
  }
}

std::vector<Medium> refused_ones(const std::vector<Medium>& media,
                                 const api::MediaRefusal& refusal) {
  const auto named = std::ranges::find_if(
      media, [&](const Medium& medium) { return refusal.place == medium.place; });
  if (named != media.end()) return {*named};
  const auto newest = std::ranges::find(media.rbegin(), media.rend(), refusal.kind, &Medium::kind);
  return {newest == media.rend() ? media.back() : *newest};
}

}  // namespace

std::int64_t most_media(std::int64_t window) { return window >= kLargeWindow ? 600 : 100; }

std::int64_t media_items(std::string_view content) {
  if (!may_hold_media(content)) return 0;
  std::int64_t items = 0;
  const api::Message message{api::Role::user, std::string(content)};
  for (const auto& medium : media_of({&message, 1})) items += medium.items;
  return items;
}

void limit_media(std::vector<api::Message>& messages, std::int64_t most) {
  const auto media = media_of(messages);
  std::int64_t items = 0;
  for (const auto& medium : media) items += medium.items;
  if (items <= most) return;
  std::vector<Medium> chosen;
  for (const auto& medium : media) {
    const bool is_new = medium.place.message + 1 == messages.size();
    if (items <= (is_new ? most : most * 3 / 4)) break;
    if (medium.items == 0) continue;
    chosen.push_back(medium);
    items -= medium.items;
  }
  replace(messages, chosen,
          fmt::format("the API takes at most {} pictures and pages of documents in one request, "
                      "and newer ones came. What you concluded from it still holds. Read the file "
                      "again if you need to see it.",
                      most));
}

MediaKind remove_refused(std::vector<api::Message>& messages, const api::MediaRefusal& refusal,
                         Removal removal) {
  const auto media = media_of(messages);
  if (media.empty()) return MediaKind::any;
  const auto chosen = removal == Removal::all ? media : refused_ones(media, refusal);
  replace(messages, chosen,
          fmt::format("the API refused it ({}). The file may be damaged or of a form it does not "
                      "know: do not read it again. If you need it, look into it or convert it with "
                      "a shell command.",
                      refusal.reason));
  return chosen.back().kind;
}

}  // namespace ralph::session
