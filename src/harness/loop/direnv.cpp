#include "harness/loop/direnv.h"

#include <array>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "core/base/text.h"
#include "core/base/utf8.h"
#include "core/json/document.h"
#include "system/process/capture.h"
#include "system/process/environment.h"

namespace ralph::loop {
namespace {

namespace fs = std::filesystem;

/// What direnv prints for an .envrc it refuses. It has no exit code of its own for that, and the direnv of Debian 12
/// has no 'direnv status --json': its messages are the only interface.
struct Refusal {
  std::string_view text, meaning;
};
constexpr auto kRefusals = std::to_array<Refusal>({
    {"is blocked", "you have not allowed it; read it, then run 'direnv allow' in this directory"},
});

/// Terminal colours removed, control characters too.
std::string plain(std::string_view line) {
  std::string out;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '\x1b') {
      i = std::min(line.find('m', i), line.size());
    } else if (static_cast<unsigned char>(line[i]) >= 0x20) {
      out += line[i];
    }
  }
  return utf8::shortened(utf8::repaired(out), 200);
}

std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> lines;
  for (std::size_t at = 0; at < text.size();) {
    const auto end = std::min(text.find('\n', at), text.size());
    if (auto line = plain(text.substr(at, end - at)); !line.empty())
      lines.push_back(std::move(line));
    at = end + 1;
  }
  return lines;
}

/// "./.envrc:2: syntax error": bash could not do a line of it.
bool is_complaint(std::string_view line) {
  const auto at = line.find(".envrc:");
  return at != line.npos && line.substr(at).find_first_of("0123456789") == 7;
}

bool installed(const process::Command& direnv) {
  const auto environment = process::changed_environment(direnv.env);
  return environment && process::find_program("direnv", *environment, direnv.cwd).has_value();
}

/// Why nothing was loaded; empty: it was.
std::string failure(const process::Captured& ran, const std::vector<std::string>& said,
                    Millis limit) {
  if (ran.exit.ended_by == process::EndedBy::wall) {
    return fmt::format("it took longer than {}", format_duration(limit));
  }
  if (ran.exit.ended_by != process::EndedBy::nothing) return "direnv was stopped";
  for (const auto& line : said) {
    for (const auto& refusal : kRefusals) {
      if (line.contains(refusal.text)) return std::string(refusal.meaning);
    }
  }
  if (!ran.ok()) return said.empty() ? "direnv failed" : said.back();
  return ran.cut ? "its output is too long" : "";
}

Result<std::vector<process::EnvChange>> read_changes(std::string_view text) {
  std::vector<process::EnvChange> changes;
  if (is_blank(text)) return changes;  // all is as it should be
  TRY_ASSIGN(const auto document, json::parse(text, "what direnv printed"));
  if (!document.is_object()) return fail(Code::malformed, "direnv printed no JSON object");
  for (const auto& [name, value] : document.items()) {
    if (value.is_null()) changes.push_back({name, std::nullopt});
    if (value.is_string()) changes.push_back({name, value.get<std::string>()});
  }
  return changes;
}

}  // namespace

Envrc load_envrc(const fs::path& workspace, const std::vector<process::EnvChange>& env,
                 Millis limit, const std::stop_token& stop,
                 const std::function<Result<process::Command>(process::Command)>& wrap) {
  Envrc envrc;
  std::error_code error;
  const process::Command direnv{
      .argv = {"direnv", "export", "json"}, .cwd = workspace, .env = env, .terminal = {}};
  if (!fs::is_regular_file(workspace / ".envrc", error) || !installed(direnv)) return envrc;

  const auto warn = [&](std::string_view why) {
    envrc.warnings.push_back(fmt::format("the variables of '.envrc' are not set: {}", why));
  };
  const auto run = [&]() -> Result<process::Captured> {
    auto command = direnv;
    if (wrap) {
      TRY_ASSIGN(command, wrap(std::move(command)));
    }
    return process::capture(command, {.wall = limit}, stop);
  };
  const auto ran = run();
  if (!ran) return warn(describe(ran.error())), envrc;
  const auto said = lines_of(ran->err);
  if (const auto why = failure(*ran, said, limit); !why.empty()) return warn(why), envrc;
  auto changes = read_changes(ran->out);
  if (!changes) return warn(describe(changes.error())), envrc;
  envrc.env = *std::move(changes);
  for (const auto& line : said) {
    if (is_complaint(line)) envrc.warnings.push_back("a part of '.envrc' failed: " + line);
  }
  return envrc;
}

}  // namespace ralph::loop
