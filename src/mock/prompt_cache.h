#pragma once
#include <cstddef>
#include <functional>
#include <map>
#include <mutex>
#include <string>

#include "core/base/time.h"
#include "core/json/document.h"
#include "core/model/model.h"

namespace ralph::mock {

/// How many blocks of a request have cache_control; the request itself counts as one.
std::size_t cache_marks(const json::Document& request);
inline constexpr std::size_t kMostCacheMarks = 4;

/// The prompt cache of the API by its published rules: a prefix of tools, system and messages, in this order, is kept
/// where a block has cache_control; a later request finds it by the same bytes, at its own marks and up to 19 blocks
/// before each of them; it expires five minutes or one hour after its last use. Thread-safe.
class PromptCache {
 public:
  explicit PromptCache(std::function<UtcTime()> clock = now_utc) : clock_(std::move(clock)) {}

  /// The tokens that a request reads from the cache, writes to it and sends uncached; adds its prefixes to the cache. A
  /// token is four bytes of JSON, an image 1,600 tokens. Output tokens are not counted.
  model::Tokens charge(const json::Document& request);

 private:
  struct Entry {
    Millis lifetime;
    UtcTime used;
  };
  bool is_alive(const std::string& prefix, UtcTime now);

  std::function<UtcTime()> clock_;
  std::mutex mutex_;
  std::map<std::string, Entry> entries_;  // by the digest of the prefix
};

}  // namespace ralph::mock
