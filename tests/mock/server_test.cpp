#include "mock/server.h"

#include <filesystem>

#include <fmt/core.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <sys/stat.h>

#include "core/base/file.h"
#include "core/base/id.h"
#include "core/json/document.h"
#include "mock/mock_server_fixture.h"

namespace ralph::mock {
namespace {

using json::Document;

TEST_F(MockServer, StepsComeInOrderAndTheLastRepeats) {
  start(R"({"steps":[{"text":"one"},{"text":"two"}]})");
  EXPECT_EQ(text_of(ask()), "one");
  EXPECT_EQ(text_of(ask()), "two");
  EXPECT_EQ(text_of(ask()), "two");
}

TEST_F(MockServer, CanStartAgain) {
  start(R"({"then":"start_again","steps":[{"text":"one"},{"text":"two"}]})");
  for (const auto* expected : {"one", "two", "one", "two", "one"}) {
    EXPECT_EQ(text_of(ask()), expected);
  }
}

TEST_F(MockServer, CanRefuseMoreThanItsSteps) {
  start(R"({"then":"error","steps":[{"text":"one"}]})");
  EXPECT_EQ(text_of(ask()), "one");
  const auto answer = ask();
  EXPECT_TRUE(answer.starts_with("HTTP/1.1 400 "));
  EXPECT_EQ(body_of(answer)["error"]["message"],
            "ralph mock: the scenario has no step left for this request");
}

TEST_F(MockServer, IdsAreNumbered) {
  start(R"({"steps":[{"tool_use":{"name":"A"}},{"content":[{"tool_use":{"name":"B","id":"mine"}},
            {"tool_use":{"name":"C"}}]}]})");
  const auto first = ask();
  EXPECT_NE(first.find("\r\nrequest-id: req_mock_000001\r\n"), std::string::npos);
  EXPECT_EQ(body_of(first)["id"], "msg_mock_000001");
  EXPECT_EQ(body_of(first)["content"][0]["id"], "toolu_mock_000001");
  EXPECT_EQ(body_of(first)["stop_reason"], "tool_use");
  const auto second = body_of(ask());
  EXPECT_EQ(second["id"], "msg_mock_000002");
  EXPECT_EQ(second["content"][0]["id"], "mine");
  EXPECT_EQ(second["content"][1]["id"], "toolu_mock_000002");
}

TEST_F(MockServer, TheModelIsTheOneAskedForUnlessTheStepSaysOtherwise) {
  start(R"({"steps":[{"text":"a"},{"text":"a","model":"other"}]})");
  EXPECT_EQ(body_of(ask("hi", "claude-x"))["model"], "claude-x");
  EXPECT_EQ(body_of(ask("hi", "claude-x"))["model"], "other");
}

TEST_F(MockServer, StreamsWhenAskedTo) {
  start(R"({"steps":[{"text":"Hello","usage":{"input_tokens":5,"output_tokens":6}}]})");
  client_->say(fmt::format("POST /v1/messages?beta=true HTTP/1.1\r\nContent-Length: {}\r\n\r\n{}",
                           request("x", "m", true).size(), request("x", "m", true)));
  const auto answer = client_->hear_until("\r\n0\r\n\r\n");
  EXPECT_TRUE(
      answer.starts_with("HTTP/1.1 200 OK\r\ncontent-type: text/event-stream; charset=utf-8\r\n"));
  EXPECT_NE(answer.find("event: message_start\ndata: {"), std::string::npos);
  EXPECT_NE(answer.find(R"("text":"Hello")"), std::string::npos);
  EXPECT_NE(answer.find("\r\n\r\n"), std::string::npos);
  EXPECT_EQ(text_of(ask()), "Hello") << "the connection can be used again";
}

TEST_F(MockServer, ErrorsHaveTheFormOfTheApi) {
  start(R"({"steps":[{"error":{"status":529,"type":"overloaded_error","message":"Overloaded",
            "headers":{"retry-after":"2"}}},{"text":"back"}]})");
  const auto answer = ask();
  EXPECT_TRUE(answer.starts_with("HTTP/1.1 529 Overloaded\r\n")) << answer;
  EXPECT_NE(answer.find("\r\nretry-after: 2\r\n"), std::string::npos);
  EXPECT_EQ(json::write(body_of(answer)),
            R"({"type":"error","error":{"type":"overloaded_error","message":"Overloaded"},)"
            R"("request_id":"req_mock_000001"})");
  EXPECT_EQ(text_of(ask()), "back");
}

TEST_F(MockServer, AnErrorsHeadersReplaceOurs) {
  start(R"({"steps":[{"error":{"status":502,"headers":{"Content-Type":"text/html"}}}]})");
  const auto answer = ask();
  EXPECT_NE(answer.find("\r\nContent-Type: text/html\r\n"), std::string::npos);
  EXPECT_EQ(answer.find("application/json"), std::string::npos);
}

TEST_F(MockServer, MatchingStepsAnswerBesideTheOrder) {
  start(R"({"steps":[{"text":"one"},{"text":"a title","match":{"contains":"title, \"please\""}},
            {"text":"small","match":{"model":"haiku"}},{"text":"two"}]})");
  EXPECT_EQ(text_of(ask(R"(a title, \"please\")")), "a title");
  EXPECT_EQ(text_of(ask()), "one");
  EXPECT_EQ(text_of(ask("hi", "claude-haiku-5-5")), "small");
  EXPECT_EQ(text_of(ask(R"(a title, \"please\")")), "a title");
  EXPECT_EQ(text_of(ask()), "two");
}

TEST_F(MockServer, ABadRequestUsesNoStep) {
  start(R"({"steps":[{"text":"one"},{"text":"two"}]})");
  EXPECT_TRUE(send("POST", "/v1/messages", "{oops").starts_with("HTTP/1.1 400 "));
  EXPECT_EQ(
      body_of(send("POST", "/v1/messages", R"({"model":"m","max_tokens":1})"))["error"]["message"],
      "messages: Field required");
  EXPECT_EQ(body_of(send("POST", "/v1/messages", R"({"model":1})"))["error"]["message"],
            "model: Input should be a string");
  EXPECT_EQ(text_of(ask()), "one");
}

TEST_F(MockServer, TheOtherEndpoints) {
  start(R"({"steps":[{"text":"one"}]})");
  EXPECT_EQ(body_of(send("GET", "/v1/models"))["data"].size(), 3u);
  EXPECT_EQ(body_of(send("POST", "/v1/messages/count_tokens?beta=true",
                         std::string(400, ' ')))["input_tokens"],
            100);
  EXPECT_TRUE(send("HEAD", "/").starts_with("HTTP/1.1 200 OK\r\n"));
  EXPECT_EQ(text_of(send("POST", "/some/prefix/v1/messages", request("x", "m"))), "one");
  const auto missing = send("GET", "/nothing");
  EXPECT_TRUE(missing.starts_with("HTTP/1.1 404 "));
  EXPECT_EQ(body_of(missing)["error"]["type"], "not_found_error");
  EXPECT_TRUE(send("GET", "/v1/messages").starts_with("HTTP/1.1 405 "));
}

TEST_F(MockServer, DelaysPassBeforeTheAnswer) {
  start(R"({"steps":[{"text":"one","delay_ms":1,"chunk_delay_ms":1,"chunk_size":1}]})");
  EXPECT_EQ(text_of(ask()), "one");
}

TEST_F(MockServer, StopsInTheMiddleOfASlowStream) {
  start(R"({"steps":[{"text":"slow","chunk_delay_ms":3600000}]})");
  const auto body = request("x", "m", true);
  client_->say(
      fmt::format("POST /v1/messages HTTP/1.1\r\nContent-Length: {}\r\n\r\n{}", body.size(), body));
  client_->hear_until("event: ping");
  server_->stop();
  EXPECT_EQ(client_->hear_all().find("slow"), std::string::npos);
}

/// A mock that keeps a log.
class MockLog : public MockServer {
 protected:
  ~MockLog() override { std::filesystem::remove_all(folder_); }
  void SetUp() override { std::filesystem::create_directories(folder_); }

  ServerOptions options(const Masker& masker = {}) const { return {0, file_, masker}; }
  std::vector<Document> lines() const {
    std::vector<Document> documents;
    std::string rest = read_file(file_).value();
    while (!rest.empty()) {
      documents.push_back(json::parse(rest.substr(0, rest.find('\n'))).value());
      rest.erase(0, rest.find('\n') + 1);
    }
    return documents;
  }

  std::filesystem::path folder_ =
      std::filesystem::temp_directory_path() / ("ralph-mock-" + random_hex(6));
  std::filesystem::path file_ = folder_ / "log.ndjson";
};

TEST_F(MockLog, EveryRequestIsALineBeforeItIsAnswered) {
  start(R"({"steps":[{"text":"one"},{"error":529}]})", options());
  ask("first");
  ASSERT_EQ(lines().size(), 1u);
  ask();
  send("GET", "/nothing?q=1");
  send("POST", "/v1/messages", "{\"pretty\":\n1}");
  send("POST", "/v1/messages", "no json\xff");
  const auto log = lines();
  ASSERT_EQ(log.size(), 5u);
  EXPECT_EQ(log[0]["method"], "POST");
  EXPECT_EQ(log[0]["target"], "/v1/messages");
  EXPECT_EQ(log[0]["body"]["messages"][0]["content"][0]["text"], "first");
  EXPECT_EQ(log[0]["step"], 1);
  EXPECT_EQ(log[0]["status"], 200);
  EXPECT_EQ(log[1]["step"], 2);
  EXPECT_EQ(log[1]["status"], 529);
  EXPECT_EQ(log[2]["target"], "/nothing?q=1");
  EXPECT_TRUE(log[2]["step"].is_null());
  EXPECT_TRUE(log[2]["body"].is_null());
  EXPECT_EQ(log[3]["body"]["pretty"], 1);
  EXPECT_EQ(log[4]["body"], "no json\uFFFD");
}

TEST_F(MockLog, SecretsAreMasked) {
  const std::string key = "sk-ant-api03-" + std::string(80, 'k');
  start(R"({"steps":[{"text":"one"}]})", options(Masker({"MY_TOKEN=very-secret-value"})));
  send("POST", "/v1/messages?t=very-secret-value", request(key + " very-secret-value", "m"),
       "X-Api-Key: " + key + "\r\nAuthorization: Bearer abcdefghijklmnop\r\nX-Other: " + key +
           "\r\n");
  const auto text = read_file(file_).value();
  EXPECT_EQ(text.find("kkkk"), std::string::npos) << text;
  EXPECT_EQ(text.find("very-secret"), std::string::npos) << text;
  EXPECT_EQ(text.find("efghij"), std::string::npos) << text;
  EXPECT_EQ(lines().at(0)["headers"]["X-Api-Key"], "sk-a***");
  EXPECT_EQ(lines().at(0)["headers"]["Authorization"], "Bearer abcd***");
}

TEST_F(MockLog, OnlyTheOwnerMayRead) {
  ASSERT_TRUE(write_file_atomically(file_, "old\n", 0644));
  start(R"({"steps":[{"text":"one"}]})", options());
  struct stat info{};
  ASSERT_EQ(::stat(file_.c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0600u);
  EXPECT_EQ(info.st_size, 0);
}

TEST_F(MockLog, AFullDiskIsReportedAndTheAnswersGoOn) {
  start(R"({"steps":[{"text":"one"}]})", {0, "/dev/full", {}});
  EXPECT_EQ(text_of(ask()), "one");
  ASSERT_TRUE(server_->failure());
  EXPECT_EQ(server_->failure()->code, Code::disk_full);
}

TEST_F(MockLog, AFolderThatIsMissingIsNamed) {
  const auto started = Server::start(scenario_of_texts({"a"}), {0, "/nowhere/log", {}});
  ASSERT_FALSE(started);
  EXPECT_NE(started.error().message.find("/nowhere/log"), std::string::npos);
}

}  // namespace
}  // namespace ralph::mock
