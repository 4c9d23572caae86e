#pragma once
#include <condition_variable>
#include <csignal>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <sys/ioctl.h>
#include <unistd.h>

#include "agent/settings/options.h"
#include "agent/wire/agent.h"
#include "core/base/file.h"
#include "core/json/document.h"
#include "mock/server.h"
#include "support/temp_folder.h"

namespace ralph::wire {

using namespace session;

using json::Document;

/// What an agent said and how it ended.
struct Ran {
  int code = -1;
  std::string out;
  std::string err;
  std::vector<Document> requests;  // bodies of POST /v1/messages, in order

  std::vector<Document> events() const {
    std::vector<Document> events;
    for (std::size_t at = 0; at < out.size();) {
      const auto end = std::min(out.find('\n', at), out.size());
      auto event = json::parse(std::string_view(out).substr(at, end - at));
      if (event) {
        events.push_back(*std::move(event));
      } else {
        ADD_FAILURE() << "not JSON: " << out.substr(at, end - at);
      }
      at = end + 1;
    }
    return events;
  }
  /// "system/init assistant result/success": the types and subtypes in order.
  std::string story() const {
    std::string story;
    for (const auto& event : events()) {
      if (!story.empty()) story += ' ';
      story += event.value("type", "?");
      if (event.contains("subtype")) story += "/" + event.value("subtype", "");
    }
    return story;
  }
  std::vector<Document> of_type(std::string_view type) const {
    std::vector<Document> found;
    for (auto& event : events()) {
      if (event.value("type", "") == type) found.push_back(event);
    }
    return found;
  }
  Document result() const {
    const auto results = of_type("result");
    return results.empty() ? Document::object() : results.back();
  }
};

/// An agent in a folder of its own, against a scripted API over real HTTP.
class Bench {
 public:
  explicit Bench(std::string_view scenario = R"({"steps":[{"text":"Hello."}]})") {
    std::filesystem::create_directories(folder_ / "work");
    std::filesystem::create_directories(folder_ / "home");
    auto parsed = mock::read_scenario(scenario, "scenario");
    if (!parsed) {
      ADD_FAILURE() << parsed.error().message;
      return;
    }
    auto server = mock::Server::start(*std::move(parsed), {0, folder_ / "requests", Masker()});
    if (!server) {
      ADD_FAILURE() << server.error().message;
      return;
    }
    server_ = *std::move(server);
    env = {"HOME=" + (folder_ / "home").string(), "ANTHROPIC_API_KEY=sk-test",
           "ANTHROPIC_BASE_URL=" + server_->url()};
    int ends[2] = {-1, -1};
    EXPECT_EQ(::pipe(ends), 0);
    in_ = UniqueFd(ends[0]);
    to_agent_ = UniqueFd(ends[1]);
  }

  void set(std::string entry) { env.insert(env.begin(), std::move(entry)); }

  /// Runs to the end. Text input ends at once; stream-json input is what say() and hang_up() make of it.
  Ran run(std::vector<std::string> words) {
    auto options = settings::parse_options(words, false);
    if (!options) return {1, "", options.error().message, {}};
    if (options->input == settings::Format::text) hang_up();
    Io io;
    io.out = [this](std::string_view lines) { return take(lines); };
    io.err = [this](std::string_view lines) {
      const std::lock_guard lock(mutex_);
      err_ += lines;
      changed_.notify_all();
    };
    io.in = in_.get();
    {
      const std::lock_guard lock(mutex_);
      agent_ = std::make_unique<Agent>(Setup{*std::move(options), settings::Environment(env),
                                             folder_ / "work", std::move(io), "0.0", is_root,
                                             heartbeats});
      changed_.notify_all();
    }
    Ran ran;
    ran.code = agent_->run();
    helpers_.clear();
    const std::lock_guard lock(mutex_);
    ran.out = std::exchange(out_, "");
    ran.err = std::exchange(err_, "");
    ran.requests = requests();
    return ran;
  }
  /// "-p", the prompt, and everything shown as stream-json.
  Ran ask(std::string prompt, std::vector<std::string> more = {}) {
    std::vector<std::string> words{"-p", std::move(prompt), "--output-format", "stream-json",
                                   "--verbose"};
    words.insert(words.end(), more.begin(), more.end());
    return run(words);
  }
  /// Everything as stream-json, in and out.
  Ran converse(std::vector<std::string> more = {}) {
    std::vector<std::string> words{
        "-p", "--input-format", "stream-json", "--output-format", "stream-json", "--verbose"};
    words.insert(words.end(), more.begin(), more.end());
    return run(words);
  }

  void say_line(std::string_view line) {
    const auto bytes = std::string(line) + "\n";
    EXPECT_EQ(::write(to_agent_.get(), bytes.data(), bytes.size()),
              static_cast<ssize_t>(bytes.size()));
  }
  void say(std::string_view text, std::string_view uuid = {}) {
    Document line{{"type", "user"}, {"message", {{"role", "user"}, {"content", text}}}};
    if (!uuid.empty()) line["uuid"] = uuid;
    say_line(json::write(line));
  }
  void hang_up() { to_agent_.reset(); }

  /// Answers the agent's requests with this subtype; nullopt: not. A text is an error answer.
  using AnswerRequest = std::function<std::optional<Document>(const Document& request)>;
  void on_request(std::string subtype, AnswerRequest answer) {
    const std::lock_guard lock(mutex_);
    answers_[std::move(subtype)] = std::move(answer);
  }
  void ask_agent(std::string_view id, Document request) {
    say_line(json::write(
        {{"type", "control_request"}, {"request_id", id}, {"request", std::move(request)}}));
  }
  void answer_agent(std::string_view id, const Document& answer) {
    Document response{{"subtype", answer.is_string() ? "error" : "success"}, {"request_id", id}};
    response[answer.is_string() ? "error" : "response"] = answer;
    say_line(json::write({{"type", "control_response"}, {"response", response}}));
  }

  /// Does something once the agent has printed this; the agent has a minute to do so.
  void when(std::string text, std::function<void(Bench&)> act) {
    helpers_.emplace_back([this, text = std::move(text), act = std::move(act)] {
      std::unique_lock lock(mutex_);
      const bool seen = changed_.wait_for(lock, std::chrono::minutes(1),
                                          [&] { return out_.find(text) != out_.npos; });
      lock.unlock();
      EXPECT_TRUE(seen) << "never printed: " << text;
      act(*this);
    });
  }
  /// Runs out of memory when it prints this.
  void fail_to_print(std::string text) { unprintable_ = std::move(text); }
  /// Waits for a text on stderr, at most a minute.
  bool await_warning(std::string_view text) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, std::chrono::minutes(1),
                             [&] { return err_.find(text) != err_.npos; });
  }
  /// Does something beside the agent.
  void meanwhile(std::function<void(Bench&)> act) {
    helpers_.emplace_back([this, act = std::move(act)] { act(*this); });
  }
  /// Does something once the API has been asked.
  void when_asked(std::function<void(Bench&)> act) {
    helpers_.emplace_back([this, act = std::move(act)] {
      const auto deadline = std::chrono::steady_clock::now() + std::chrono::minutes(1);
      while (requests().empty() && std::chrono::steady_clock::now() < deadline) {
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
      }
      act(*this);
    });
  }
  /// The first line printed so far that contains this.
  Document line_with(std::string_view text) {
    const std::lock_guard lock(mutex_);
    const auto at = out_.find(text);
    if (at == out_.npos) return Document::object();
    const auto begin = out_.rfind('\n', at) + 1;
    return json::parse(std::string_view(out_).substr(begin, out_.find('\n', at) - begin))
        .value_or(Document::object());
  }
  /// Answers each control request of this subtype by what `answer` makes of it: the payload of a success.
  void answer_requests(std::string subtype, std::function<Document(const Document&)> answer) {
    helpers_.emplace_back([this, subtype = std::move(subtype),
                           answer = std::move(answer)](const std::stop_token& stop) {
      std::unique_lock lock(mutex_);
      for (std::size_t at = 0;;) {
        const auto whole = [&] { return out_.find('\n', at) != out_.npos; };
        if (!changed_.wait(lock, stop, whole)) return;
        const auto end = out_.find('\n', at);
        const auto line = json::parse(out_.substr(at, end - at)).value_or(Document::object());
        at = end + 1;
        if (line.value("type", "") != "control_request") continue;
        if (line["request"].value("subtype", "") != subtype) continue;
        say_line(json::write({{"type", "control_response"},
                              {"response",
                               {{"subtype", "success"},
                                {"request_id", line["request_id"]},
                                {"response", answer(line["request"])}}}}));
      }
    });
  }
  void signal(int number) { agent_->on_signal(number); }
  void lose_reader() { agent_->lose_reader(); }
  /// From now on nobody reads what it prints.
  void stop_reading() {
    const std::lock_guard lock(mutex_);
    reading_ = false;
  }
  mock::Server& server() { return *server_; }
  /// What the agent has printed so far.
  std::string printed() {
    const std::lock_guard lock(mutex_);
    return out_;
  }
  std::filesystem::path work() const { return folder_ / "work"; }
  std::filesystem::path home() const { return folder_ / "home"; }
  const test::TempFolder& folder() const { return folder_; }
  /// The files of the sessions of this folder.
  std::vector<std::filesystem::path> sessions() const {
    std::vector<std::filesystem::path> files;
    std::error_code error;
    for (const auto& entry :
         std::filesystem::recursive_directory_iterator(home() / ".claude", error)) {
      if (entry.path().extension() == ".jsonl") files.push_back(entry.path());
    }
    return files;
  }

  /// The agent has read all that was said.
  bool heard_everything() const {
    int bytes = 0;
    return ::ioctl(in_.get(), FIONREAD, &bytes) == 0 && bytes == 0;
  }

  std::vector<std::string> env;
  bool is_root = false;
  HeartbeatTimes heartbeats;

 private:
  bool take(std::string_view lines) {
    const std::lock_guard lock(mutex_);
    if (!reading_) return false;
    if (!unprintable_.empty() && lines.contains(unprintable_)) throw std::bad_alloc();
    out_ += lines;
    changed_.notify_all();
    if (!answers_.empty()) answer_requests(lines);
    return true;
  }
  void answer_requests(std::string_view lines) {
    for (std::size_t at = 0; at < lines.size();) {
      const auto end = std::min(lines.find('\n', at), lines.size());
      const auto line = json::parse(lines.substr(at, end - at));
      at = end + 1;
      if (!line || line->value("type", "") != "control_request") continue;
      const auto& request = (*line)["request"];
      const auto found = answers_.find(request.value("subtype", ""));
      if (found == answers_.end()) continue;
      if (const auto answer = found->second(request)) {
        answer_agent(line->value("request_id", ""), *answer);
      }
    }
  }
  std::vector<Document> requests() const {
    std::vector<Document> bodies;
    const auto log = read_file(folder_ / "requests").value_or("");
    for (std::size_t at = 0; at < log.size();) {
      const auto end = std::min(log.find('\n', at), log.size());
      if (auto line = json::parse(log.substr(at, end - at))) bodies.push_back((*line)["body"]);
      at = end + 1;
    }
    return bodies;
  }

  test::TempFolder folder_;
  std::unique_ptr<mock::Server> server_;
  UniqueFd in_, to_agent_;
  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::string out_, err_;
  bool reading_ = true;
  std::string unprintable_;
  std::map<std::string, AnswerRequest> answers_;
  std::unique_ptr<Agent> agent_;
  std::vector<std::jthread> helpers_;
};

/// The text of all blocks of a message's content.
inline std::string texts(const Document& message) {
  std::string text;
  for (const auto& block : message["content"]) text += block.value("text", "");
  return text;
}

}  // namespace ralph::wire
