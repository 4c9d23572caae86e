#pragma once
#include "agent/tool/tool.h"
#include "agent/web/side_request.h"

namespace ralph::web {

/// Searches with the API's own tool web_search, in a request of its own.
class WebSearch final : public tool::Tool {
 public:
  explicit WebSearch(SideModel model) : model_(std::move(model)) {}

  std::string_view name() const override { return "WebSearch"; }
  std::string_view description() const override;
  std::string_view schema() const override;
  bool is_parallel(const json::Document& /*input*/) const override { return true; }
  /// It needs a rule.
  tool::Access access(const json::Document& /*input*/,
                      const tool::Workspace& /*workspace*/) const override {
    return {};
  }
  tool::Outcome run(const json::Document& input, const tool::Access& access,
                    tool::Workspace& workspace, const std::stop_token& stop) const override;

 private:
  SideModel model_;
};

}  // namespace ralph::web
