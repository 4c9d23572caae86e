#pragma once
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <sys/stat.h>
#include <unistd.h>

#include "agent/tool/tool.h"
#include "agent/tool/workspace.h"
#include "core/json/document.h"
#include "support/temp_folder.h"

/// A workspace in a folder of its own, and calls of tools in it.
namespace ralph::tool {

using json::Document;
using test::TempFolder;

struct Called {
  Document content;
  Document detail;
  bool failed = false;
  std::string follow_up = {};

  std::string text() const {
    return content.is_string() ? content.get<std::string>() : content.dump();
  }
  std::string error() const { return detail.is_string() ? detail.get<std::string>() : ""; }
};

class Desk {
 public:
  explicit Desk(bool read_before_write = false, std::vector<std::string> unreadable = {})
      : workspace_(setup(read_before_write, std::move(unreadable))) {}
  /// Beside what it sets itself.
  explicit Desk(Workspace::Setup given) : workspace_(with_folders(std::move(given))) {}

  std::filesystem::path root() const { return workspace_.setup().root; }
  std::filesystem::path outside() const { return std::filesystem::canonical(folder_ / "outside"); }
  std::filesystem::path file(std::string_view name) const { return root() / name; }
  std::filesystem::path put(std::string_view name, std::string_view bytes,
                            mode_t mode = 0644) const {
    return folder_.write("root/" + std::string(name), bytes, mode);
  }
  std::string bytes(std::string_view name) const { return test::text_of(root() / name); }
  Workspace& workspace() { return workspace_; }

  Called call(const Tool& tool, const Document& input, const std::stop_token& stop = {}) {
    const auto outcome = tool.run(input, tool.access(input, workspace_), workspace_, stop);
    return {json::parse(outcome.content).value_or(Document("content is no JSON")),
            json::parse(outcome.detail).value_or(Document("detail is no JSON")),
            outcome.is_error.value_or(false), outcome.follow_up};
  }

 private:
  Workspace::Setup setup(bool read_before_write, std::vector<std::string> unreadable) {
    Workspace::Setup setup;
    setup.read_before_write = read_before_write;
    setup.unreadable = std::move(unreadable);
    return with_folders(std::move(setup));
  }
  Workspace::Setup with_folders(Workspace::Setup setup) {
    std::filesystem::create_directories(folder_ / "root");
    std::filesystem::create_directories(folder_ / "outside");
    setup.root = std::filesystem::canonical(folder_ / "root");
    setup.output_folder = std::filesystem::canonical(folder_.path()) / "output";
    return setup;
  }

  TempFolder folder_;
  Workspace workspace_;
};

inline bool is_root() { return ::geteuid() == 0; }

}  // namespace ralph::tool
