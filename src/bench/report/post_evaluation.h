#pragma once
#include <filesystem>
#include <functional>
#include <stop_token>
#include <string>
#include <string_view>

#include "bench/trial/test_case.h"
#include "core/base/result.h"

namespace ralph::report {

/// The results that a step after the graders gets.
struct PostContext {
  std::filesystem::path results;  // results.json
  std::filesystem::path artifacts, workspace;
  std::string name, overall_status;
  std::function<void(std::string_view)> on_output;
  std::stop_token stop = {};
};

/// Runs one entry of `post_evaluation`: sends the results to a webhook, appends them to a JSON lines file, or runs a script.
Result<> run_post_step(const trial::PostSpec& step, const PostContext& context);

}  // namespace ralph::report
