#include "core/config/load.h"

#include <filesystem>
#include <fstream>
#include <string>

#include <gtest/gtest.h>
#include <unistd.h>

#include "core/base/id.h"
#include "core/base/placeholder.h"
#include "support/plants.h"

namespace ralph::config {
namespace {

namespace fs = std::filesystem;
using State = ConfigFile::State;

class LoadTest : public testing::Test {
 protected:
  LoadTest() : folder_(fs::temp_directory_path() / ("ralph-load-" + random_hex(6))) {
    fs::create_directories(folder_ / "home");
    request_.workspace = folder_;
    request_.environment = {"HOME=" + (folder_ / "home").native()};
  }
  ~LoadTest() override { fs::remove_all(folder_); }

  fs::path write(const fs::path& name, std::string_view text) {
    const auto path = folder_ / name;
    fs::create_directories(path.parent_path());
    std::ofstream(path) << text;
    return path;
  }
  std::string model() {
    const auto loaded = load(request_);
    return loaded ? loaded->settings.text(Key::model) : loaded.error().message;
  }

  fs::path folder_;
  LoadRequest request_;
};

TEST_F(LoadTest, WithoutFilesThereAreDefaults) {
  const auto loaded = load(request_);
  ASSERT_TRUE(loaded);
  EXPECT_TRUE(loaded->notes.empty());
  EXPECT_EQ(loaded->settings.text(Key::backend), "auto");
  EXPECT_EQ(loaded->settings.text(Key::log_dir), (folder_ / ".ralph/logs").native());
}

TEST_F(LoadTest, APlaceholderIsNoFile) {
  fs::create_directory(folder_ / "ralph.yml");
  EXPECT_NE(model().find("is a directory"), std::string::npos);
  ASSERT_EQ(::chmod((folder_ / "ralph.yml").c_str(), kPlaceholderMode), 0);
  EXPECT_TRUE(load(request_));
  write("ralph.yml/x", "");
  EXPECT_NE(model().find("is a directory"), std::string::npos);
}

TEST_F(LoadTest, TheProjectFileBeatsTheUsers) {
  write("home/.config/ralph/config.yml", "model: user\ntask: user\n");
  EXPECT_EQ(model(), "user");
  write(".ralph/config.yml", "model: hidden");
  EXPECT_EQ(model(), "hidden");
  const auto file = write("ralph.yml", "model: project");
  const auto loaded = load(request_);
  ASSERT_TRUE(loaded);
  EXPECT_EQ(loaded->settings.text(Key::model), "project");
  EXPECT_EQ(describe(loaded->settings.origin(Key::model)), file.native() + ":1");
  EXPECT_EQ(loaded->settings.text(Key::task), "user");
  ASSERT_EQ(loaded->notes.size(), 1u);
  EXPECT_EQ(loaded->notes[0], file.native() + " is used, " +
                                  (folder_ / ".ralph/config.yml").native() +
                                  " is ignored: only one of them is read");
}

TEST_F(LoadTest, AFileThatWasAskedForIsUsedInsteadAndMustExist) {
  write("ralph.yml", "model: project");
  const auto other = write("other.yml", "model: other");
  request_.environment.push_back("RALPH_CONFIG=" + other.native());
  EXPECT_EQ(model(), "other");
  request_.config_file = write("asked.yml", "model: asked");
  EXPECT_EQ(model(), "asked");
  request_.config_file = "/nonexistent.yml";
  const auto loaded = load(request_);
  ASSERT_FALSE(loaded);
  EXPECT_EQ(loaded.error().code, Code::config);
  EXPECT_EQ(loaded.error().message, "config file '/nonexistent.yml' does not exist");
}

TEST_F(LoadTest, NamesEveryPlaceItLooksAt) {
  const auto user = folder_ / "home/.config/ralph/config.yml";
  const auto first = folder_ / "ralph.yml", second = folder_ / ".ralph/config.yml";
  using Files = std::vector<ConfigFile>;
  EXPECT_EQ(find_files(request_),
            (Files{{user, State::missing}, {first, State::missing}, {second, State::missing}}));
  write("ralph.yml", "");
  write(".ralph/config.yml", "");
  EXPECT_EQ(find_files(request_),
            (Files{{user, State::missing}, {first, State::used}, {second, State::shadowed}}));
  request_.environment = {"XDG_CONFIG_HOME=/x"};
  request_.config_file = "/y.yml";
  EXPECT_EQ(find_files(request_),
            (Files{{"/x/ralph/config.yml", State::missing}, {"/y.yml", State::missing, true}}));
}

TEST_F(LoadTest, TheNearestFileUpToTheRootIsUsed) {
  write("ralph.yml", "model: above the root\n");
  write("root/ralph.yml", "model: of the root\nprompt_file: task.md\n");
  fs::create_directories(folder_ / "root/near/deep");
  request_.workspace = folder_ / "root/near/deep";
  EXPECT_EQ(model(), "") << "without a root nothing above counts";
  request_.root = fs::canonical(folder_ / "root");
  EXPECT_EQ(model(), "of the root");
  const auto loaded = load(request_);
  ASSERT_TRUE(loaded);
  EXPECT_EQ(fs::path(loaded->settings.text(Key::prompt_file)).lexically_normal(),
            folder_ / "root/task.md");
  EXPECT_EQ(project_folder(find_files(request_)), folder_ / "root");
  write("root/near/.ralph/config.yml", "model: nearer\n");
  EXPECT_EQ(model(), "nearer");
  EXPECT_EQ(project_folder(find_files(request_)), folder_ / "root/near");
  EXPECT_TRUE(load(request_)->notes.empty()) << "a nearer file replaces one above";
}

TEST_F(LoadTest, AFileAboveOfAnotherUserIsNotUsed) {
  const auto file = write("ralph.yml", "model: planted\n");
  fs::create_directories(folder_ / "below");
  if (::geteuid() != 0 || ::chown(file.c_str(), 12345, 12345) != 0) GTEST_SKIP() << "needs root";
  request_.workspace = folder_ / "below";
  request_.root = fs::canonical(folder_);
  EXPECT_EQ(model(), "");
  const auto loaded = load(request_);
  ASSERT_TRUE(loaded);
  ASSERT_EQ(loaded->notes.size(), 1U);
  EXPECT_NE(loaded->notes.front().find("belongs to another user"), std::string::npos);
  EXPECT_EQ(project_folder(find_files(request_)), fs::path());
}

TEST_F(LoadTest, AFolderOrAHugeFileIsAMistakeInTheSettings) {
  fs::create_directories(folder_ / "ralph.yml");
  EXPECT_EQ(load(request_).error().code, Code::config);
  fs::remove(folder_ / "ralph.yml");
  write("ralph.yml", std::string(kMaxBytes + 1, '#'));
  EXPECT_EQ(load(request_).error().code, Code::config);
}

TEST(Plants, InTheFolderOfAgentsLeadNowhere) {
  test::expect_harmless({{".ralph/config.yml",
                          [](const fs::path& folder) {
                            LoadRequest request;
                            request.workspace = folder;
                            const auto loaded = load(request);
                            EXPECT_FALSE(loaded);
                            EXPECT_EQ(loaded.error().code, Code::config);
                            const auto text = test::told(loaded);
                            EXPECT_NE(text.find("config.yml"), text.npos) << text;
                            return text;
                          }},
                         {"ralph.yml", [](const fs::path& folder) {
                            LoadRequest request;
                            request.workspace = folder;
                            request.environment = {"HOME=" + folder.native()};
                            const auto loaded = load(request);
                            return loaded ? std::string() : to_string(loaded.error().code).data();
                          }}});
}

TEST(Documentation, EverySettingIsExplained) {
  std::ifstream file(fs::path(RALPH_FIXTURES) / "../../docs/configuration.md");
  const std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  for (const auto& row : settings_table()) {
    const auto start = "\n| `" + std::string(row.key) + "` |";
    const auto at = text.find(start);
    ASSERT_NE(at, std::string::npos) << "docs/configuration.md has no row for " << row.key;
    const auto line = text.substr(at + 1, text.find('\n', at + 1) - at - 1);
    EXPECT_NE(line.find(row.fallback), std::string::npos) << line;
    EXPECT_TRUE(row.flag.empty() || line.find("`" + flag_of(row)) != std::string::npos) << line;
  }
}

}  // namespace
}  // namespace ralph::config
