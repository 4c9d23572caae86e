#include "agent/tool/bash_environment.h"

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <unistd.h>

#include "core/base/mask.h"
#include "core/base/number.h"

namespace ralph::tool {
namespace {

constexpr std::array<std::pair<std::string_view, std::string_view>, 4> kGitSettings{
    {{"safe.bareRepository", "explicit"},
     {"core.fsmonitor", "false"},
     {"core.pager", "cat"},
     {"diff.autoRefreshIndex", "false"}}};  // otherwise `git diff` writes the index and runs a hook

constexpr std::string_view kCount = "GIT_CONFIG_COUNT";
constexpr int kMostSettings = 1000;

/// Variables that change the meaning of a command line or name a program, a library or an options file. Sorted.
constexpr std::string_view kMeaning[] = {"ACLOCAL_PATH",
                                         "ANTHROPIC_CUSTOM_HEADERS",
                                         "AWKLIBPATH",
                                         "AWKPATH",
                                         "BASHOPTS",
                                         "BASH_COMPAT",
                                         "BASH_ENV",
                                         "BASH_LOADABLES_PATH",
                                         "BASH_XTRACEFD",
                                         "BLOCKSIZE",
                                         "BLOCK_SIZE",
                                         "BROWSER",
                                         "CDPATH",
                                         "COLUMNS",
                                         "DF_BLOCK_SIZE",
                                         "DOCKER_HOST",
                                         "DU_BLOCK_SIZE",
                                         "EDITOR",
                                         "ENV",
                                         "EXECIGNORE",
                                         "FCEDIT",
                                         "FIGNORE",
                                         "FIND_BLOCK_SIZE",
                                         "FUNCNEST",
                                         "GCONV_PATH",
                                         "GETCONF_DIR",
                                         "GLOBIGNORE",
                                         "GLOBSORT",
                                         "GREP_COLOR",
                                         "GREP_COLORS",
                                         "GREP_OPTIONS",
                                         "GZIP",
                                         "HISTFILE",
                                         "HOSTALIASES",
                                         "HOSTFILE",
                                         "IFS",
                                         "INPUTRC",
                                         "JAVA_TOOL_OPTIONS",
                                         "JQ_COLORS",
                                         "LESS",
                                         "LESSCLOSE",
                                         "LESSKEY",
                                         "LESSOPEN",
                                         "LOCALDOMAIN",
                                         "LOCPATH",
                                         "LS_BLOCK_SIZE",
                                         "MAGIC",
                                         "MAILCAPS",
                                         "MANPAGER",
                                         "NIS_PATH",
                                         "NLSPATH",
                                         "NODE_OPTIONS",
                                         "NODE_PATH",
                                         "OLDPWD",
                                         "OPTIND",
                                         "PAGER",
                                         "PERL5DB",
                                         "PERL5LIB",
                                         "PERL5OPT",
                                         "PERLLIB",
                                         "POSIXLY_CORRECT",
                                         "PROMPT_COMMAND",
                                         "PS4",
                                         "QUOTING_STYLE",
                                         "RES_OPTIONS",
                                         "RIPGREP_CONFIG_PATH",
                                         "RUBYLIB",
                                         "RUBYOPT",
                                         "SHELLOPTS",
                                         "SSH_ASKPASS",
                                         "SSH_AUTH_SOCK",
                                         "SSLKEYLOGFILE",
                                         "TABSIZE",
                                         "TAR_OPTIONS",
                                         "TERMCAP",
                                         "TERMINFO",
                                         "TERMINFO_DIRS",
                                         "TIMEFORMAT",
                                         "TIME_STYLE",
                                         "TMOUT",
                                         "TZDIR",
                                         "VISUAL",
                                         "XDG_RUNTIME_DIR",
                                         "XZ_DEFAULTS",
                                         "XZ_OPT",
                                         "ZSTD_CLEVEL",
                                         "_JAVA_OPTIONS"};
static_assert(std::ranges::is_sorted(kMeaning));
constexpr std::string_view kMeaningPrefixes[] = {"BASH_FUNC_", "LD_",   "MALLOC_", "GLIBC_",
                                                 "PYTHON",     "DBUS_", "AWS_",    "RESOLV_"};
/// The only variables of git that are kept: they name a person or disable something.
constexpr std::string_view kGitKept[] = {
    "GIT_AUTHOR_NAME",     "GIT_AUTHOR_EMAIL",   "GIT_AUTHOR_DATE",     "GIT_COMMITTER_NAME",
    "GIT_COMMITTER_EMAIL", "GIT_COMMITTER_DATE", "GIT_CONFIG_NOSYSTEM", "GIT_TERMINAL_PROMPT",
    "GIT_ADVICE",          "GIT_PAGER",          "GIT_OPTIONAL_LOCKS"};

bool changes_meaning(std::string_view name) {
  if (name.starts_with("GIT_")) return std::ranges::find(kGitKept, name) == std::end(kGitKept);
  return std::ranges::binary_search(kMeaning, name) ||
         std::ranges::any_of(kMeaningPrefixes,
                             [&](std::string_view prefix) { return name.starts_with(prefix); });
}

/// A password before a host: "postgres://user:password@host", "user:password@proxy:3128". Passwords may contain "/" and
/// "@", and the value several URLs.
bool has_login(std::string_view value) {
  const auto at = value.rfind('@');
  if (at == std::string_view::npos) return false;
  auto before = value.substr(0, at);
  // Without a scheme: not a list of paths.
  if (before.find("://") == std::string_view::npos && before.find('/') != std::string_view::npos)
    return false;
  for (;;) {
    const auto scheme = before.find("://");
    const auto part = before.substr(0, scheme);
    if (part.find(':') != std::string_view::npos) return true;
    if (scheme == std::string_view::npos) return false;
    before.remove_prefix(scheme + 3);
  }
}

/// "host=h password=p", "Server=s;Pwd=p".
bool sets_password(std::string_view value) {
  constexpr std::string_view kNames[] = {"password", "passwd", "pwd", "passphrase", "secret"};
  for (std::size_t equals = value.find('='); equals != std::string_view::npos;
       equals = value.find('=', equals + 1)) {
    const auto before = value.substr(0, value.find_last_not_of(' ', equals - 1) + 1);
    if (equals == 0 || before.empty()) continue;
    for (const auto name : kNames) {
      if (before.size() < name.size()) continue;
      const auto same = [](char a, char b) { return (a | 0x20) == b; };
      if (std::ranges::equal(before.substr(before.size() - name.size()), name, same)) return true;
    }
  }
  return false;
}

bool is_secret(std::string_view name, std::string_view value) {
  static const Masker shapes;
  return looks_secret(name) || has_login(value) || sets_password(value) ||
         shapes.finds_secret(value);
}

std::optional<std::string> value_of(const Workspace& workspace, std::string_view name) {
  const auto& changes = workspace.setup().environment;
  const auto found = std::ranges::find(changes, name, &process::EnvChange::name);
  if (found != changes.end()) return found->value;
  const auto own = workspace.variable(name);
  return own.empty() ? std::nullopt : std::optional(own);
}

/// The number of settings in the user's GIT_CONFIG_*; 0 if it is invalid, which git refuses too.
int settings_of_user(const Workspace& workspace) {
  const auto text = value_of(workspace, kCount).value_or("");
  const int count = parse_number<int>(text).value_or(0);
  return count > 0 && count <= kMostSettings ? count : 0;
}

void add_git_settings(std::vector<process::EnvChange>& changes, int first) {
  const auto count = static_cast<int>(kGitSettings.size());
  changes.push_back({std::string(kCount), std::to_string(first + count)});
  for (int i = 0; i < count; ++i) {
    const auto& [key, value] = kGitSettings[static_cast<std::size_t>(i)];
    changes.push_back({fmt::format("GIT_CONFIG_KEY_{}", first + i), std::string(key)});
    changes.push_back({fmt::format("GIT_CONFIG_VALUE_{}", first + i), std::string(value)});
  }
}

}  // namespace

std::vector<process::EnvChange> command_environment(const Workspace& workspace) {
  std::vector<process::EnvChange> changes{
      {"GIT_PAGER", "cat"}, {"GIT_OPTIONAL_LOCKS", "0"}, {"GIT_EXTERNAL_DIFF", std::nullopt}};
  // An editor would wait for a user; "true" leaves the text unchanged.
  for (const auto* const editor : {"GIT_EDITOR", "GIT_SEQUENCE_EDITOR", "EDITOR", "VISUAL"}) {
    changes.push_back({editor, "true"});
  }
  const auto& own = workspace.setup().environment;
  changes.insert(changes.end(), own.begin(), own.end());
  add_git_settings(changes, settings_of_user(workspace));  // git uses the last of two
  return changes;
}

std::vector<process::EnvChange> confined_environment(const Workspace& workspace) {
  std::set<std::string> removed;
  const auto look_at = [&](std::string_view name, std::string_view value) {
    if (changes_meaning(name) || is_secret(name, value)) removed.emplace(name);
  };
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string_view text(*entry);
    const auto equals = text.find('=');
    if (equals == std::string_view::npos || equals == 0) continue;
    look_at(text.substr(0, equals), text.substr(equals + 1));
  }
  for (const auto& change : workspace.setup().environment) {
    look_at(change.name, change.value.value_or(""));
  }
  std::vector<process::EnvChange> changes;
  for (const auto& name : removed) changes.push_back({name, std::nullopt});
  changes.push_back({"GIT_PAGER", "cat"});
  changes.push_back({"GIT_OPTIONAL_LOCKS", "0"});
  add_git_settings(changes, 0);
  return changes;
}

}  // namespace ralph::tool
