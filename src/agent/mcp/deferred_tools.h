#pragma once
#include <cstdint>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "agent/mcp/server_tool.h"

namespace ralph::mcp {

/// When the definitions of server tools are left out of requests until the model searches for them (ENABLE_TOOL_SEARCH).
struct SearchPolicy {
  enum class When { never, always, large };
  When when = When::large;
  std::int64_t tokens = 2000;  // for `large`: of all definitions
};

/// What a search found.
struct SearchResult {
  std::vector<const ServerTool*> found;
  std::vector<std::string> unknown;  // names that were asked for
};

/// Which tools of servers the model is offered. A tool that was offered once stays so. Thread-safe.
class DeferredTools {
 public:
  explicit DeferredTools(SearchPolicy policy) : policy_(policy) {}

  /// The tools there are now. True: some are deferred.
  bool update(std::vector<const ServerTool*> tools);
  bool is_offered(const tool::Tool& tool) const;
  /// "select:NAME,NAME", or words, of which those with a "+" must match. Does not load.
  SearchResult search(std::string_view query, std::size_t most) const;
  /// True: it was not offered before.
  bool load(std::string_view name);
  std::size_t count() const;
  /// All tools by server, for the description of the search.
  std::string list() const;

 private:
  SearchPolicy policy_;
  mutable std::mutex mutex_;
  std::vector<const ServerTool*> tools_;
  std::set<std::string, std::less<>> loaded_;
  bool active_ = false;
};

/// Loads deferred tools.
class ToolSearch final : public tool::Tool {
 public:
  explicit ToolSearch(DeferredTools& tools);

  std::string_view name() const override { return "ToolSearch"; }
  std::string_view description() const override { return description_; }
  std::string_view schema() const override;
  tool::Access access(const json::Document& /*input*/,
                      const tool::Workspace& /*workspace*/) const override {
    return {.kind = tool::Access::Kind::session, .path = {}, .command = {}};
  }
  tool::Outcome run(const json::Document& input, const tool::Access& access,
                    tool::Workspace& workspace, const std::stop_token& stop) const override;

 private:
  DeferredTools& tools_;
  std::string description_;
};

}  // namespace ralph::mcp
