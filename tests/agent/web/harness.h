#pragma once
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "agent/session/scripted.h"
#include "agent/tool/harness.h"
#include "agent/web/side_request.h"
#include "core/model/model.h"
#include "system/http/server.h"

/// Web tools over a scripted model and a real HTTP server.
namespace ralph::web {

using json::Document;

/// Gives one answer to every request, and keeps the requests.
struct Oracle {
  api::Answer answer{.reply = session::says("The answer."), .failure = {}};
  std::vector<std::string> bodies;

  const settings::Environment environment{std::vector<std::string>{"ANTHROPIC_BASE_URL=http://x"}};
  settings::Options options{};
  settings::ModelChoice choice{model::Table::builtin(), options, environment, "opus"};
  session::Ledger ledger{model::Table::builtin(), {}};

  class Model final : public session::Model {
   public:
    explicit Model(Oracle& oracle) : oracle_(oracle) {}
    bool available() const override { return true; }
    api::Answer ask(const api::Request& request, api::Listener&, const std::stop_token&) override {
      oracle_.bodies.push_back(api::body_of(request));
      return oracle_.answer;
    }

   private:
    Oracle& oracle_;
  };

  SideModel model() {
    return {.connect = [this] { return std::make_unique<Model>(*this); },
            .choice = choice,
            .ledger = ledger};
  }
  /// The only request.
  Document request() const {
    EXPECT_EQ(bodies.size(), 1U);
    return bodies.empty() ? Document() : json::parse(bodies.front()).value();
  }
  std::string prompt() const {
    return request()["messages"][0]["content"][0]["text"].get<std::string>();
  }
};

}  // namespace ralph::web
