#include <chrono>

#include <gtest/gtest.h>

#include "agent/session/transcript.h"
#include "support/temp_folder.h"

namespace {

using namespace ralph;
using test::TempFolder;
namespace fs = std::filesystem;

const std::string kPrompt =
    R"({"type":"user","uuid":"u","parentUuid":null,"message":{"role":"user","content":"x"}})";
const std::string kId = "11111111-1111-4111-8111-111111111111";

std::string key_of(const fs::path& cwd) {
  return session::sessions_folder("/config", cwd).filename().string();
}

/// A config folder and a working folder, and sessions that are so many seconds old.
struct Home {
  TempFolder folder;
  fs::path config = folder / "config";
  fs::path cwd = folder / "work";
  fs::file_time_type now = fs::file_time_type::clock::now();

  Home() { fs::create_directories(cwd); }

  fs::path put(const std::string& id, const std::string& text, int age = 0) const {
    const auto path = session::transcript_path(config, cwd, id);
    fs::create_directories(path.parent_path());
    std::ofstream(path) << text;
    fs::last_write_time(path, now - std::chrono::seconds(age));
    return path;
  }
  std::optional<fs::path> find(std::string_view what) const {
    return session::find_session(config, cwd, what);
  }
  std::optional<fs::path> newest() const { return session::newest_session(config, cwd); }
};

TEST(TranscriptFind, TheFolderIsNamedAfterTheRealPath) {
  EXPECT_EQ(session::sessions_folder("/config", "/"), "/config/projects/-");
  EXPECT_EQ(key_of("/no-such/a_b.c/D9"), "-no-such-a-b-c-D9");
  EXPECT_EQ(key_of("/no-such/ünï 😀x"), "-no-such--n----x");

  const TempFolder folder;
  fs::create_directories(folder / "real");
  fs::create_directory_symlink(folder / "real", folder / "link");
  EXPECT_EQ(key_of(folder / "link"), key_of(folder / "real"));
}

// The sums are those Claude Code 2.1.325 puts behind such names.
TEST(TranscriptFind, LongNamesAreCutAndGetASum) {
  const auto path = [](std::size_t size) { return "/tmp/m/long/" + std::string(size - 12, 'a'); };
  EXPECT_EQ(key_of(path(200)), "-tmp-m-long-" + std::string(188, 'a'));
  EXPECT_EQ(key_of(path(201)), "-tmp-m-long-" + std::string(188, 'a') + "-99c40n");
  EXPECT_EQ(key_of(path(210)), "-tmp-m-long-" + std::string(188, 'a') + "-m46846");
  EXPECT_EQ(key_of(path(230)), "-tmp-m-long-" + std::string(188, 'a') + "-rbs8ra");
  std::string wide = "/tmp/m/long/";
  for (int i = 0; i < 100; ++i) wide += "ü";
  wide += "/";
  for (int i = 0; i < 30; ++i) wide += "b😀";
  for (int i = 0; i < 20; ++i) wide += "/cc";
  EXPECT_TRUE(key_of(wide).ends_with("-rodf2d")) << key_of(wide);
}

TEST(TranscriptFind, TheNewestHasAPrompt) {
  const Home home;
  EXPECT_EQ(home.newest(), std::nullopt);
  home.put("old", kPrompt, 30);
  const auto newer = home.put("newer", "garbage\n" + kPrompt, 20);
  home.put("title", R"({"type":"custom-title","customTitle":"user"})", 10);
  home.put("agent-1",
           R"({"type":"user","isSidechain":true,"message":{"role":"user","content":"x"}})", 5);
  home.put("empty", "", 0);
  std::ofstream(newer.parent_path() / "notes.txt") << kPrompt;
  fs::create_directories(newer.parent_path() / "folder.jsonl");
  EXPECT_EQ(home.newest(), newer);
}

TEST(TranscriptFind, AnIdIsFoundHereThenElsewhereThenATitle) {
  const Home home;
  const auto other = home.config / "projects/-other" / (kId + ".jsonl");
  fs::create_directories(other.parent_path());
  std::ofstream(other) << kPrompt;
  EXPECT_EQ(home.find(kId), other);
  const auto here = home.put(kId, kPrompt);
  EXPECT_EQ(home.find(kId), here);

  const auto title = [](const std::string& text) {
    return R"({"type":"custom-title","customTitle":")" + text + "\"}\n";
  };
  home.put("a", title("Mine") + title("Other"), 0);
  const auto old = home.put("b", title("x") + kPrompt + "\n" + title("Mine"), 20);
  const auto newer = home.put("c", title("mine"), 10);
  const auto summary =
      home.put("d", R"({"type":"summary","summary":"About it","leafUuid":"u"})", 10);
  EXPECT_EQ(home.find("MINE"), newer);
  EXPECT_EQ(session::sessions_titled(home.config, home.cwd, "Mine"), (std::vector{newer, old}));
  EXPECT_EQ(home.find("About it"), summary);
  EXPECT_EQ(home.find("Min"), std::nullopt);
  EXPECT_EQ(home.find(""), std::nullopt);
  home.put("e", title("a"));
  EXPECT_EQ(home.find("a")->stem(), "a");
}

TEST(TranscriptFind, AnIdIsNoPath) {
  const Home home;
  home.put(kId, kPrompt);
  std::ofstream(home.config / "x.jsonl") << kPrompt;
  std::ofstream(home.config / "projects/x.jsonl") << kPrompt;
  for (const std::string_view id :
       {std::string_view("../x"), std::string_view("../../x"), std::string_view("/etc/passwd"),
        std::string_view("/"), std::string_view("."), std::string_view(".."),
        std::string_view("a\0b", 3), std::string_view("..\0x", 4)}) {
    EXPECT_EQ(home.find(id), std::nullopt) << id;
  }
  EXPECT_EQ(home.find(std::string(100000, 'a')), std::nullopt);
  EXPECT_EQ(home.find(kId + std::string(1, '\0')), std::nullopt);
}

}  // namespace
