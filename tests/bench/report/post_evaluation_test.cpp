#include "bench/report/post_evaluation.h"

#include <algorithm>
#include <atomic>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "bench/report/bundle.h"
#include "support/temp_folder.h"
#include "system/http/server.h"

namespace ralph::report {
namespace {

class PostEvaluation : public testing::Test {
 protected:
  PostEvaluation() {
    Bundle bundle;
    bundle.name = "n";
    bundle.expected_branch = "solved";
    bundle.artifacts = folder_.path();
    bundle.grades = {
        {.grader = "git-diff", .status = grade::GradeStatus::passed, .assertions = "{}"}};
    EXPECT_TRUE(write_results(folder_.path(), results_json(bundle, {}), Masker()));
    context_.results = folder_ / "results.json";
    context_.artifacts = folder_.path();
    context_.overall_status = "passed";
  }

  test::TempFolder folder_;
  PostContext context_;
};

TEST_F(PostEvaluation, AWebhookGetsTheResultsAndIsTriedAgain) {
  std::atomic<int> calls = 0;
  std::string body, agent, extra;
  const auto server =
      http::Server::start({}, [&](const http::Request& request, http::Exchange& exchange) {
        body = request.body;
        agent = request.headers.find("user-agent").value_or("");
        extra = request.headers.find("x-team").value_or("");
        exchange.respond({++calls == 1 ? 500 : 204, {}, ""});
      });
  ASSERT_TRUE(server);
  const auto config = R"({"url":")" + (*server)->url() +
                      R"(/hook","method":"PUT","headers":{"X-Team":"a"},"include_artifacts":true,)"
                      R"("retry_on_failure":true,"timeout_ms":5000})";
  const auto sent = run_post_step({"webhook", config}, context_);
  EXPECT_TRUE(sent) << sent.error().message;
  EXPECT_EQ(calls, 2);
  EXPECT_EQ(agent, "youBencha/0.1.0");
  EXPECT_EQ(extra, "a");
  const auto json = *json::parse(body);
  EXPECT_EQ(json["results"]["test_case"]["name"], "n");
  EXPECT_EQ(json["artifacts_path"], folder_.path().native());
}

TEST_F(PostEvaluation, AWebhookThatRefusesIsAnError) {
  const auto server = http::Server::start(
      {}, [](const http::Request&, http::Exchange& exchange) { exchange.respond({403, {}, ""}); });
  ASSERT_TRUE(server);
  const auto config = R"({"url":")" + (*server)->url() +
                      R"(","method":"POST","retry_on_failure":false,"timeout_ms":5000})";
  const auto sent = run_post_step({"webhook", config}, context_);
  ASSERT_FALSE(sent);
  EXPECT_TRUE(sent.error().message.contains("HTTP 403")) << sent.error().message;
}

TEST_F(PostEvaluation, AFileGetsOneLinePerRun) {
  const auto file = folder_ / "deep/history.jsonl";
  const auto config = R"({"type":"json-file","output_path":")" + file.native() +
                      R"(","include_full_bundle":false,"append":true})";
  ASSERT_TRUE(run_post_step({"database", config}, context_));
  ASSERT_TRUE(run_post_step({"database", config}, context_));
  const auto text = test::text_of(file);
  EXPECT_EQ(std::ranges::count(text, '\n'), 2);
  const auto line = *json::parse(text.substr(0, text.find('\n')));
  EXPECT_FALSE(line["test_case"].contains("expected_branch"));
  EXPECT_FALSE(line["evaluators"][0].contains("assertions"));
  EXPECT_TRUE(line.contains("exported_at"));
}

}  // namespace
}  // namespace ralph::report
