#include "agent/tool/ripgrep.h"

#include <algorithm>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <unistd.h>

#include "core/base/number.h"
#include "core/base/text.h"
#include "system/process/supervise.h"

namespace ralph::tool {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaxLine = 65536;
constexpr std::size_t kMaxComplaint = 2000;
constexpr std::size_t kMaxPattern = 32768;
constexpr Millis kUsualTime{20000};

/// Splits pieces into lines.
class OutputLines {
 public:
  OutputLines(char end, const std::function<void(std::string_view)>& on_line)
      : end_(end), on_line_(on_line) {}

  void feed(std::string_view piece) {
    for (auto at = piece.find(end_); at != std::string_view::npos; at = piece.find(end_)) {
      keep(piece.substr(0, at));
      finish();
      piece.remove_prefix(at + 1);
    }
    keep(piece);
  }

  /// Ends the current line.
  void finish() {
    if (!dropped_) on_line_(line_);
    dropped_ = false;
    line_.clear();
  }
  bool pending() const { return !line_.empty(); }

 private:
  void keep(std::string_view part) {
    dropped_ = dropped_ || line_.size() + part.size() > kMaxLine;
    if (dropped_) {
      line_.clear();
    } else {
      line_ += part;
    }
  }

  char end_;
  const std::function<void(std::string_view)>& on_line_;
  std::string line_;
  bool dropped_ = false;
};

Millis time_limit(const Workspace& workspace) {
  const auto text = workspace.variable("CLAUDE_CODE_GLOB_TIMEOUT_SECONDS");
  const auto seconds = leading_number<int>(text).value_or(0);
  return seconds > 0 ? Millis{std::int64_t{seconds} * 1000} : kUsualTime;
}

/// PATH in the environment of commands.
std::string search_path(const Workspace& workspace) {
  for (const auto& change : workspace.setup().environment) {
    if (change.name == "PATH") return change.value.value_or("");
  }
  const auto set = workspace.variable("PATH");
  return set.empty() ? "/usr/local/bin:/usr/bin:/bin" : set;
}

process::Command command_of(std::string program, const std::vector<std::string>& arguments,
                            const OpenFolder& folder, const Workspace& workspace) {
  process::Command command;
  command.argv = {std::move(program), "--no-config",          "--color=never",
                  "--no-messages",    "--no-ignore-messages", "--no-ignore-dot"};
  command.argv.insert(command.argv.end(), arguments.begin(), arguments.end());
  command.cwd = folder.path();
  command.env = workspace.setup().environment;
  command.env.push_back({"RIPGREP_CONFIG_PATH", std::nullopt});
  return command;
}

}  // namespace

std::string find_ripgrep(const Workspace& workspace) {
  const auto path = search_path(workspace);
  for (std::size_t at = 0; at <= path.size();) {
    const auto end = std::min(path.find(':', at), path.size());
    const fs::path folder = path.substr(at, end - at);
    at = end + 1;
    if (!folder.is_absolute()) continue;
    std::error_code error;
    const auto program = fs::canonical(folder / "rg", error);
    if (error || workspace.contains(program) || workspace.contains(folder.lexically_normal())) {
      continue;
    }
    if (fs::is_regular_file(program, error) && ::access(program.c_str(), X_OK) == 0) return program;
  }
  return {};
}

Result<Searched> search(const std::vector<std::string>& arguments, const OpenFolder& folder,
                        char end, const std::function<void(std::string_view)>& on_line,
                        const Workspace& workspace, const std::stop_token& stop) {
  auto program = find_ripgrep(workspace);
  if (program.empty()) {
    return fail(Code::not_found, "program 'rg' was not found in PATH",
                "install ripgrep ('rg') in a directory of PATH outside the working directories");
  }
  auto child = process::start(command_of(std::move(program), arguments, folder, workspace));
  if (!child) return std::unexpected(child.error());

  Searched searched;
  OutputLines lines(end, on_line);
  std::uint64_t seen = 0;
  process::Sinks sinks;
  sinks.out = [&](std::string_view bytes) -> Result<> {
    seen += bytes.size();
    lines.feed(bytes);
    return {};
  };
  sinks.err = [&](std::string_view bytes) -> Result<> {
    searched.complaint += bytes.substr(0, kMaxComplaint - searched.complaint.size());
    return {};
  };
  process::RunHandle handle;
  handle.arm(process::Limit::wall, time_limit(workspace));
  const auto exit = process::supervise(*std::move(child), sinks, handle, stop);
  searched.cut_short = exit.ended_by == process::EndedBy::wall;
  searched.stopped = exit.ended_by == process::EndedBy::stop_request;
  if (lines.pending() && exit.ended_by == process::EndedBy::nothing) lines.finish();
  searched.rejected = exit.exit_code == 2 && seen == 0 && !searched.complaint.empty();
  searched.complaint = trim_end(searched.complaint, "\n");
  return searched;
}

std::string shown_path(const fs::path& path, const fs::path& cwd) {
  const auto relative = path.lexically_relative(cwd);
  if (relative.empty() || *relative.begin() == "..") return path.string();
  return relative.string();
}

std::string literal_start(std::string_view pattern) {
  if (pattern.starts_with('!') || pattern.starts_with('#')) return fmt::format("\\{}", pattern);
  return std::string(pattern);
}

std::string bad_pattern(std::string_view pattern) {
  if (pattern.find('\0') != std::string_view::npos) {
    return "The pattern contains a NUL character, which cannot be searched for; write \\x00.";
  }
  if (pattern.size() > kMaxPattern) {
    return fmt::format("The pattern has {} bytes; at most {} are searched for.", pattern.size(),
                       kMaxPattern);
  }
  return {};
}

}  // namespace ralph::tool
