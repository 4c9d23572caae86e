#pragma once
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agent/api/request.h"
#include "agent/settings/environment.h"
#include "agent/settings/options.h"
#include "core/model/model.h"

namespace ralph::settings {

/// The model in use and the shape of requests to it. Another thread may change it while the agent works.
class ModelChoice {
 public:
  /// `from_settings`: the model of a settings file; empty: none.
  ModelChoice(const model::Table& models, const Options& options, const Environment& environment,
              std::string_view from_settings);

  std::string id() const;
  api::Shape shape() const;
  /// For a request beside the conversation: without thinking. `small`: with the small, fast model, which is Haiku at
  /// Anthropic's API; other endpoints may not have it, so there it is the model in use unless a variable names one.
  api::Shape side_shape(bool small) const;
  /// The id of a model by alias or id; empty or "default": the first choice.
  std::string id_of(std::string_view alias_or_id) const;
  /// nullopt: as the options and the environment have it.
  void set_thinking(std::optional<std::int64_t> tokens);
  void set_thinking_display(std::optional<std::string> display);
  void set_effort(std::string_view effort);
  /// Selects a model by alias or id; empty or "default": the first choice. Returns the id.
  std::string choose(std::string_view alias_or_id);
  /// Selects the next fallback model; nullopt: none is left.
  std::optional<std::string> fall_back();
  /// Warnings: an unknown effort, a model without a known price.
  std::vector<std::string> notes() const;

 private:
  std::string resolve(std::string_view alias_or_id) const;
  std::string small_model() const;

  const model::Table& models_;
  const Environment& environment_;
  std::string first_;
  mutable std::mutex mutex_;
  api::ShapeOptions shape_options_;
  api::ShapeOptions first_shape_options_;
  std::string id_;
  std::vector<std::string> fallbacks_;
};

}  // namespace ralph::settings
