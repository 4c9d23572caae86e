#pragma once
#include "agent/tool/tool.h"
#include "agent/web/page.h"
#include "agent/web/side_request.h"

namespace ralph::web {

/// Gets a page, and what the small model answers about it. Connects only to public addresses, unless `limits` allow others.
class WebFetch final : public tool::Tool {
 public:
  WebFetch(SideModel model, FetchLimits limits) : model_(std::move(model)), limits_(limits) {}

  std::string_view name() const override { return "WebFetch"; }
  std::string_view description() const override;
  std::string_view schema() const override;
  bool is_parallel(const json::Document& /*input*/) const override { return true; }
  /// Rules name the host: "domain:example.org".
  tool::Access access(const json::Document& input, const tool::Workspace& workspace) const override;
  tool::Outcome run(const json::Document& input, const tool::Access& access,
                    tool::Workspace& workspace, const std::stop_token& stop) const override;

 private:
  struct Fetched;

  Url upgraded(Url url) const;
  std::expected<Fetched, tool::Outcome> follow(Url url, const std::stop_token& stop) const;
  tool::Outcome answer(const json::Document& input, const Fetched& fetched, const std::string& text,
                       const std::stop_token& stop) const;

  SideModel model_;
  FetchLimits limits_;
};

}  // namespace ralph::web
