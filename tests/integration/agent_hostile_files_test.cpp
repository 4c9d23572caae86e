// Files that are not what they seem, and files that change under the agent's hands.
#include <atomic>
#include <random>
#include <thread>

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>

#include "integration/agent_calls.h"

namespace ralph::agent_process {
namespace {

namespace fs = std::filesystem;

constexpr int kWriteKills = 30;

ToolCall read(std::string_view path) { return {"Read", {{"file_path", path}}}; }
ToolCall write(std::string_view path, std::string_view content) {
  return {"Write", {{"file_path", path}, {"content", content}}};
}
ToolCall edit(std::string_view path, std::string_view before, std::string_view after) {
  return {"Edit", {{"file_path", path}, {"old_string", before}, {"new_string", after}}};
}
ToolCall grep(std::string_view pattern, std::string_view path) {
  return {"Grep", {{"pattern", pattern}, {"path", path}, {"output_mode", "files_with_matches"}}};
}
ToolCall glob(std::string_view pattern) { return {"Glob", {{"pattern", pattern}}}; }

/// Every call is refused with these words, and the turn goes on.
struct Refused {
  ToolCall call;
  std::string_view words;
};

void expect_refused(const Stage& stage, const std::vector<Refused>& calls) {
  const auto results = expect_finished(stage.run(stage.agent(everything())), calls.size());
  for (std::size_t i = 0; i < calls.size(); ++i) {
    EXPECT_TRUE(results[i].failed) << calls[i].call.tool << ": " << results[i].text;
    EXPECT_TRUE(results[i].text.contains(calls[i].words)) << results[i].text;
  }
}

std::string script_of_refused(const std::vector<Refused>& refused) {
  std::vector<ToolCall> calls;
  for (const auto& each : refused) calls.push_back(each.call);
  return agent_process::script_of(calls);
}

using agent_process::script_of;

TEST(HostileFile, BytesThatAreNoText) {
  using namespace std::string_literals;
  Stage stage(script_of({read("nul"), edit("nul", "after", "later"), grep("later", "."),
                         read("latin"), edit("latin", "caf", "CAF"), glob("n*")}));
  stage.folder().write("work/nul", "before\0after\n"s);
  stage.folder().write("work/latin", "caf\xe9 \xff\xfe\n");
  const auto results = expect_finished(stage.run(stage.agent(everything())), 6);
  EXPECT_TRUE(results[0].failed);
  EXPECT_TRUE(results[0].text.contains("binary")) << results[0].text;
  EXPECT_TRUE(results[1].text.contains("NUL bytes")) << results[1].text;
  EXPECT_EQ(test::text_of(stage.work() / "nul"), "before\0after\n"s);
  EXPECT_FALSE(results[3].failed);
  EXPECT_TRUE(results[3].text.contains("caf\xEF\xBF\xBD")) << results[3].text;
  EXPECT_TRUE(results[4].text.contains("not valid UTF-8")) << results[4].text;
  EXPECT_EQ(test::text_of(stage.work() / "latin"), "caf\xe9 \xff\xfe\n");
  EXPECT_EQ(results[5].text, "nul");
}

TEST(HostileFile, HalfAGigabyte) {
  Stage stage(script_of({read("huge"),
                         edit("huge", "a", "b"),
                         {"Read", {{"file_path", "long"}, {"offset", 2}, {"limit", 1}}},
                         {"Read", {{"file_path", "long"}, {"allow_large", true}}},
                         grep("needle", "."),
                         glob("*"),
                         write("huge", "small\n")}));
  const auto huge = stage.folder().write("work/huge", "text\n");
  fs::resize_file(huge, std::uintmax_t{500} << 20);
  const auto line = stage.folder().write("work/long", "first\nneedle\n");
  fs::resize_file(line, std::uintmax_t{500} << 20);
  const auto ran = stage.run(stage.agent(everything()));
  const auto results = expect_finished(ran, 7);
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
  EXPECT_LT(ran.exit.max_rss_kb, kMostMemoryKb);
#endif
  EXPECT_TRUE(results[0].failed);
  EXPECT_TRUE(results[1].failed);
  EXPECT_TRUE(results[1].text.contains("larger than 64 MB")) << results[1].text;
  EXPECT_TRUE(results[3].failed);
  EXPECT_TRUE(results[5].text.contains("long")) << results[5].text;
  EXPECT_TRUE(results[6].text.contains("NUL bytes")) << results[6].text;
  EXPECT_EQ(fs::file_size(huge), std::uintmax_t{500} << 20);
}

TEST(HostileFile, PipesAndFoldersAreRefused) {
  const std::vector<Refused> calls{
      {read("pipe"), "pipe"},
      {write("pipe", "x"), "pipe"},
      {edit("pipe", "a", "b"), "pipe"},
      {grep("x", "pipe"), "neither a file nor a directory"},
      {read("folder"), "directory"},
      {write("folder", "x"), "directory"},
      {edit("folder", "a", "b"), "directory"},
      {{"Glob", {{"pattern", "*"}, {"path", "pipe"}}}, "not a directory"},
      {read("/dev/zero"), "device"},
      {write("/dev/full", "x"), "device"},
  };
  Stage stage(script_of_refused(calls));
  ASSERT_EQ(::mkfifo((stage.work() / "pipe").c_str(), 0600), 0);
  fs::create_directories(stage.work() / "folder");
  expect_refused(stage, calls);
  EXPECT_TRUE(fs::is_fifo(stage.work() / "pipe"));
}

TEST(HostileFile, ASearchAmongPipesEnds) {
  Stage stage(script_of({grep("needle", "."), glob("*")}));
  ASSERT_EQ(::mkfifo((stage.work() / "pipe").c_str(), 0600), 0);
  stage.folder().write("work/file", "needle\n");
  const auto results = expect_finished(stage.run(stage.agent(everything())), 2);
  EXPECT_TRUE(results[0].text.contains("file")) << results[0].text;
  EXPECT_TRUE(results[1].text.contains("file")) << results[1].text;
}

/// Root may do everything: it becomes somebody else first. Empty: that cannot be done here.
std::vector<std::string> as_nobody() {
  if (::geteuid() != 0) return {"/usr/bin/env"};
  if (!fs::exists("/usr/bin/setpriv")) return {};
  return {"/usr/bin/setpriv", "--reuid=65534", "--regid=65534", "--clear-groups",
          "--inh-caps=-all"};
}

bool give_to_nobody(const fs::path& folder) {
  if (::geteuid() != 0) return true;
  bool given = ::chown(folder.c_str(), 65534, 65534) == 0;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    given = ::lchown(entry.path().c_str(), 65534, 65534) == 0 && given;
  }
  return given;
}

TEST(HostileFile, WithoutPermission) {
  const std::vector<Refused> calls{
      {read("secret"), "Permission denied"},
      {write("secret", "x"), "Permission denied"},
      {edit("secret", "a", "b"), "Permission denied"},
      {write("fixed", "x"), "Permission denied"},
      {edit("fixed", "old", "new"), "Permission denied"},
      {write("closed/new", "x"), "Permission denied"},
      {edit("closed/f", "old", "new"), "Permission denied"},
  };
  const auto wrapper = as_nobody();
  if (wrapper.empty()) GTEST_SKIP() << "root may do everything, and there is no setpriv";
  Stage stage(script_of_refused(calls));
  stage.folder().write("work/secret", "old", 0000);
  stage.folder().write("work/fixed", "old", 0444);
  stage.folder().write("work/closed/f", "old", 0644);
  ASSERT_TRUE(give_to_nobody(stage.folder().path()));
  ::chmod((stage.work() / "closed").c_str(), 0555);
  auto command = stage.agent(everything());
  command.argv.insert(command.argv.begin(), wrapper.begin(), wrapper.end());
  const auto ran = stage.run(command);
  if (ran.exit.exit_code == 127) GTEST_SKIP() << "nobody may run it here: " << ran.err;
  const auto results = expect_finished(ran, calls.size());
  for (std::size_t i = 0; i < calls.size(); ++i) {
    EXPECT_TRUE(results[i].failed) << i;
    EXPECT_TRUE(results[i].text.contains(calls[i].words)) << results[i].text;
  }
  ::chmod((stage.work() / "closed").c_str(), 0755);
  for (const auto* name : {"secret", "fixed", "closed/f"}) {
    ::chmod((stage.work() / name).c_str(), 0644);
    EXPECT_EQ(test::text_of(stage.work() / name), "old");
  }
  EXPECT_EQ(std::distance(fs::directory_iterator(stage.work() / "closed"), {}), 1);
}

/// Exchanges two names as fast as it can until it goes. Ends at once where that cannot be done.
class Swapper {
 public:
  Swapper(const fs::path& one, const fs::path& other)
      : thread_([this, one, other](const std::stop_token& stop) {
          while (!stop.stop_requested()) {
            if (::renameat2(AT_FDCWD, one.c_str(), AT_FDCWD, other.c_str(), RENAME_EXCHANGE) == 0) {
              ++swaps_;
            }
          }
        }) {}
  int swaps() const { return swaps_; }

 private:
  std::atomic<int> swaps_ = 0;
  std::jthread thread_;
};

/// Sixteen calls a request, forty requests.
std::string many_writes() {
  auto content = Document::array();
  const auto add = [&](const ToolCall& call) {
    content.push_back({{"tool_use", {{"name", call.tool}, {"input", call.input}}}});
  };
  for (int i = 0; i < 4; ++i) {
    add(write("folder/f", "written"));
    add(write(fmt::format("folder/deep/n{}", i), "written"));
    add(write("file", "written"));
    add(edit("file", "written", "written"));
    add(edit("file", "untouched", "touched"));
    add(edit("folder/f", "untouched", "touched"));
    add(read("file"));
    add(read("folder/f"));
  }
  return json::write(
      Document{{"steps", {{{"content", content}, {"times", 40}}, {{"text", "Done."}}}}});
}

TEST(HostileFile, SwappedForALinkNothingOutsideIsTouchedOrRead) {
  Stage stage(many_writes());
  const auto outside = stage.folder() / "outside";
  stage.folder().write("outside/f", "untouched");
  stage.folder().write("outside/file", "untouched");
  stage.folder().write("work/folder/f", "inside");
  stage.folder().write("work/file", "inside");
  fs::create_directory_symlink(outside, stage.work() / "way");
  fs::create_symlink(outside / "file", stage.work() / "link");
  const Swapper folders(stage.work() / "folder", stage.work() / "way");
  const Swapper files(stage.work() / "file", stage.work() / "link");
  const auto ran = stage.run(stage.agent({"go", "--tools", "Edit,Read,Write", "--permission-mode",
                                          "acceptEdits", "--no-session-persistence"}));
  const auto results = expect_finished(ran, 40 * 32);
  int done = 0;
  for (const auto& result : results) {
    if (!result.failed) ++done;
    EXPECT_FALSE(!result.failed && result.text.contains("untouched")) << result.text;
  }
  EXPECT_GT(done, 0) << "nothing was written at all";
  EXPECT_GT(folders.swaps() + files.swaps(), 1000) << "nothing was swapped";
  EXPECT_EQ(test::text_of(outside / "f"), "untouched");
  EXPECT_EQ(test::text_of(outside / "file"), "untouched");
  EXPECT_EQ(std::distance(fs::directory_iterator(outside), {}), 2) << "something new is there";
}

TEST(HostileFile, AWriteThatIsKilledLeavesTheOldFileOrTheNew) {
  const std::string before(8'000'000, 'a'), after(6'000'000, 'b');
  Stage stage(json::write(Document{
      {"steps",
       {{{"tool_use", {{"name", "Write"}, {"input", {{"file_path", "f"}, {"content", after}}}}},
         {"chunk_size", 1 << 20}}}}}));
  std::mt19937 random(1);
  std::uniform_int_distribution<int> moment(0, 60'000);
  int olds = 0, news = 0;
  for (int i = 0; i < kWriteKills; ++i) {
    stage.folder().write("work/f", before);
    process::RunHandle watch;
    bool killed = false;
    const auto told = [&](std::string_view so_far, process::RunHandle& it) {
      if (killed || so_far.size() < after.size() || !so_far.ends_with('\n')) return;
      killed = true;
      std::this_thread::sleep_for(std::chrono::microseconds(moment(random)));
      it.send_signal(SIGKILL);
    };
    const auto ran = stage.run(stage.agent({"go", "--tools", "Write", "--permission-mode",
                                            "acceptEdits", "--no-session-persistence"}),
                               watch, told);
    EXPECT_EQ(ran.exit.signal, SIGKILL) << ran.err;
    const auto now = test::text_of(stage.work() / "f");
    olds += now == before ? 1 : 0;
    news += now == after ? 1 : 0;
  }
  EXPECT_EQ(olds + news, kWriteKills) << "neither the old file nor the new one";
}

}  // namespace
}  // namespace ralph::agent_process
