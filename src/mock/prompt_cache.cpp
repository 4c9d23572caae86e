#include "mock/prompt_cache.h"

#include <algorithm>
#include <vector>

#include <nlohmann/json.hpp>

#include "core/base/sha256.h"
#include "core/json/field.h"
#include "mock/message.h"

namespace ralph::mock {
namespace {

using json::Document;
using json::member;

constexpr Millis kShort = std::chrono::minutes(5), kLong = std::chrono::hours(1);
constexpr std::size_t kPositionsLookedAt = 20;  // the block with the mark is the first
constexpr const char* kMark = "cache_control";
constexpr std::int64_t kTokensOfPicture =
    1'600;  // the maximum for an image; the API scales larger ones

/// The prompt up to and including one block.
struct Prefix {
  std::string digest;
  std::int64_t tokens = 0;
  Millis lifetime{0};  // of its mark; zero: it has none
};

Millis lifetime_of(const Document& mark) {
  if (!mark.is_object()) return Millis{0};
  return mark.value("ttl", Document()) == Document("1h") ? kLong : kShort;
}

/// Removes the marks, also inside tool results, and returns the lifetime of the block's own mark, otherwise the longest
/// one inside it.
Millis take_mark(Document& block) {
  Millis lifetime{0};
  if (!block.is_object()) return lifetime;
  if (const auto content = block.find("content"); content != block.end() && content->is_array()) {
    for (auto& inner : *content) lifetime = std::max(lifetime, take_mark(inner));
  }
  const auto own = lifetime_of(member(block, kMark));
  block.erase(kMark);
  return own > Millis{0} ? own : lifetime;
}

/// A string is the same as one text block: agents use either form, and the API caches them as equal.
Document blocks_of(const Document& value) {
  if (value.is_array()) return value;
  if (value.is_string()) return Document::array({{{"type", "text"}, {"text", value}}});
  return value.is_null() ? Document::array() : Document::array({value});
}

struct Pictures {
  std::size_t bytes = 0;  // of their data
  std::int64_t tokens = 0;
};

/// Including those inside tool results.
Pictures pictures_in(const Document& block) {
  if (member(block, "type") == Document("image")) {
    const auto* const data = member(member(block, "source"), "data").get_ptr<const std::string*>();
    return {data == nullptr ? 0 : data->size(), kTokensOfPicture};
  }
  Pictures pictures;
  const auto& content = member(block, "content");
  if (!content.is_array()) return pictures;
  for (const auto& inner : content) {
    const auto found = pictures_in(inner);
    pictures.bytes += found.bytes;
    pictures.tokens += found.tokens;
  }
  return pictures;
}

class Prompt {
 public:
  explicit Prompt(const Document& request) {
    digest_ = sha256_hex(json::write(member(request, "model")));
    for (const auto& tool : blocks_of(member(request, "tools"))) add(tool, "tool");
    for (const auto& block : blocks_of(member(request, "system"))) add(block, "system");
    // A change of these does not invalidate tools and system.
    digest_ = sha256_hex(digest_ + json::write(member(request, "tool_choice")) +
                         json::write(member(request, "thinking")));
    for (const auto& message : blocks_of(member(request, "messages"))) {
      const auto role = member(message, "role");
      for (const auto& block : blocks_of(member(message, "content"))) add(block, json::write(role));
    }
    const auto automatic = lifetime_of(member(request, kMark));
    if (automatic > Millis{0} && !prefixes_.empty()) prefixes_.back().lifetime = automatic;
  }
  const std::vector<Prefix>& prefixes() const { return prefixes_; }
  std::int64_t tokens() const { return prefixes_.empty() ? 0 : prefixes_.back().tokens; }

 private:
  void add(Document block, const std::string& place) {
    const auto lifetime = take_mark(block);
    if (block.is_object() && block.contains("content"))
      block["content"] = blocks_of(block["content"]);
    const auto bytes = json::write(block);
    digest_ = sha256_hex(digest_ + place + bytes);
    const auto pictures = pictures_in(block);
    const auto size = estimated_tokens(bytes.size() - pictures.bytes) + pictures.tokens;
    prefixes_.push_back({digest_, tokens() + size, lifetime});
  }

  std::string digest_;
  std::vector<Prefix> prefixes_;
};

std::int64_t minimum_of(const Document& request) {
  const auto* const id = member(request, "model").get_ptr<const std::string*>();
  const auto* const known = id == nullptr ? nullptr : model::Table::builtin().find(*id);
  return known == nullptr ? model::kUsualCacheMinimum : known->cache_minimum;
}

std::size_t marks_in(const Document& value) {
  if (!value.is_structured()) return 0;
  std::size_t count = value.is_object() && value.contains(kMark) ? 1 : 0;
  for (const auto& inner : value) count += marks_in(inner);
  return count;
}

}  // namespace

std::size_t cache_marks(const Document& request) {
  std::size_t count = request.contains(kMark) ? 1 : 0;
  for (const auto* const part : {"tools", "system", "messages"}) {
    count += marks_in(member(request, part));
  }
  return count;
}

bool PromptCache::is_alive(const std::string& prefix, UtcTime now) {
  const auto found = entries_.find(prefix);
  if (found == entries_.end()) return false;
  if (now - found->second.used < found->second.lifetime) return true;
  entries_.erase(found);
  return false;
}

model::Tokens PromptCache::charge(const Document& request) {
  const Prompt prompt(request);
  const auto& prefixes = prompt.prefixes();
  const auto minimum = minimum_of(request);
  const auto now = clock_();
  const std::scoped_lock lock(mutex_);

  std::size_t read = 0;  // how many blocks
  for (std::size_t marked = prefixes.size(); marked > 0; --marked) {
    const auto& mark = prefixes[marked - 1];
    if (mark.lifetime == Millis{0} || mark.tokens < minimum) continue;
    const auto last = marked - std::min(marked, kPositionsLookedAt);
    for (std::size_t at = marked; at > std::max(last, read); --at) {
      if (is_alive(prefixes[at - 1].digest, now)) read = at;
    }
  }

  model::Tokens tokens;
  std::int64_t charged = read == 0 ? 0 : prefixes[read - 1].tokens;
  tokens.cache_read = charged;
  for (std::size_t at = 0; at < read; ++at) {
    if (is_alive(prefixes[at].digest, now)) entries_.at(prefixes[at].digest).used = now;
  }
  for (std::size_t at = read; at < prefixes.size(); ++at) {
    const auto& prefix = prefixes[at];
    if (prefix.lifetime == Millis{0} || prefix.tokens < minimum) continue;
    auto& written = prefix.lifetime == kLong ? tokens.cache_write_1h : tokens.cache_write_5m;
    written += prefix.tokens - charged;
    charged = prefix.tokens;
    entries_[prefix.digest] = {prefix.lifetime, now};
  }
  tokens.input = prompt.tokens() - charged;
  return tokens;
}

}  // namespace ralph::mock
