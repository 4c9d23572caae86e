#include "agent/permission/repository_config.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <system_error>

#include "agent/permission/command_options.h"
#include "core/base/text.h"

namespace ralph::permission {
namespace {

namespace fs = std::filesystem;

enum class Names { without, with };  // [section], [section "name"]

struct Section {
  std::string_view name;
  Names names;
  std::string_view keys;  // "*": all
};

constexpr std::string_view kCore =
    "repositoryformatversion filemode bare logallrefupdates ignorecase precomposeunicode symlinks "
    "autocrlf eol safecrlf quotepath abbrev compression loosecompression bigfilethreshold "
    "untrackedcache preloadindex trustctime checkstat hidedotfiles longpaths whitespace "
    "commentchar editor hookspath packedgitlimit packedgitwindowsize deltabasecachelimit "
    "sharedrepository protecthfs protectntfs sparsecheckout sparsecheckoutcone multipackindex "
    "commitgraph fscache";

/// Hooks and editors are started only by commands that change something, network helpers only by those that use it.
constexpr std::array kSections = std::to_array<Section>({
    {"core", Names::without, kCore},
    {"extensions", Names::without, "worktreeconfig preciousobjects relativeworktrees noop"},
    {"remote", Names::with,
     "url fetch pushurl push prune prunetags tagopt mirror skipdefaultupdate skipfetchall "
     "gh-resolved"},
    {"remote", Names::without, "pushdefault"},
    {"log", Names::without,
     "date decorate abbrevcommit follow graphcolors initialdecorationset excludedecoration mailmap "
     "showroot"},
    {"status", Names::without,
     "showuntrackedfiles short branch relativepaths renames renamelimit displaycommentprefix "
     "showstash aheadbehind"},
    {"diff", Names::without,
     "algorithm renames renamelimit colormoved colormovedws mnemonicprefix noprefix context "
     "interhunkcontext indentheuristic statgraphwidth statnamewidth suppressblankempty wordregex "
     "wserrorhighlight ignoresubmodules tool guitool relative dirstat"},
    {"diff", Names::with, "xfuncname funcname binary algorithm wordregex"},
    {"merge", Names::without,
     "conflictstyle ff tool guitool log renames renamelimit stat autostash verbosity "
     "directoryrenames"},
    {"submodule", Names::with,
     "url active branch ignore update path fetchrecursesubmodules shallow"},
    {"submodule", Names::without, "active fetchjobs"},
    {"blame", Names::without, "coloring date showemail showroot blankboundary"},
    {"grep", Names::without, "linenumber column patterntype extendedregexp threads fullname"},
    {"lfs", Names::without, "repositoryformatversion"},  // git-lfs runs what lfs.extension names
    {"lfs", Names::with, "access locksverify"},
});

/// Sections without effect on read-only commands.
constexpr std::string_view kFreeSections =
    "branch user author committer push pull fetch init help gc maintenance pack receive transfer "
    "rerere stash column versionsort advice gui gitflow worktree rebase am apply i18n tag commit "
    "checkout clone index http https credential url alias safe sequence mergetool difftool "
    "notes color";

bool is_key_char(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-';
}

/// Reads a configuration line by line; a line that is not fully understood is not harmless.
class ConfigReader {
 public:
  ConfigReader(const fs::path& git_folder, const fs::path& worktree)
      : git_folder_(git_folder), worktree_(worktree) {}

  bool read_line(std::string_view line) {
    line = trim(line);
    while (line.starts_with('[')) {
      if (!read_section(line)) return false;
      line = trim(line);
    }
    if (line.empty() || line.front() == '#' || line.front() == ';') return true;
    if (line.ends_with('\\')) return false;  // continued on the next line
    const auto end = std::ranges::find_if_not(line, is_key_char);
    const auto key = line.substr(0, static_cast<std::size_t>(end - line.begin()));
    auto value = trim(line.substr(key.size()));
    if (key.empty() || (!value.empty() && value[0] != '=' && value[0] != '#' && value[0] != ';'))
      return false;
    if (value.starts_with('=')) value = trim(value.substr(1));
    return is_harmless(to_lower(key), value);
  }
  bool names_worktree() const { return names_worktree_; }

 private:
  /// Removes [section], [section "name"] or the old [section.name] from the line.
  bool read_section(std::string_view& line) {
    line.remove_prefix(1);
    const auto end =
        std::ranges::find_if_not(line, [](char c) { return is_key_char(c) || c == '.'; });
    const auto name = line.substr(0, static_cast<std::size_t>(end - line.begin()));
    line = trim(line.substr(name.size()));
    section_ = to_lower(name.substr(0, name.find('.')));
    names_ = name.find('.') == name.npos ? Names::without : Names::with;
    if (line.starts_with('"')) {
      names_ = Names::with;
      if (!skip_quoted(line)) return false;
    }
    if (section_.empty() || !line.starts_with(']')) return false;
    line.remove_prefix(1);
    return true;
  }

  static bool skip_quoted(std::string_view& line) {
    for (std::size_t i = 1; i < line.size(); ++i) {
      if (line[i] == '\\') {
        ++i;
      } else if (line[i] == '"') {
        line.remove_prefix(i + 1);
        return true;
      }
    }
    return false;
  }

  bool is_harmless(const std::string& key, std::string_view value) {
    if (has_word(kFreeSections, section_)) return true;
    if (section_ == "core" && names_ == Names::without && key == "worktree") {
      names_worktree_ = is_own_worktree(value);
      return names_worktree_;
    }
    return std::ranges::any_of(kSections, [&](const Section& section) {
      return section.name == section_ && section.names == names_ && has_word(section.keys, key);
    });
  }

  bool is_own_worktree(std::string_view value) const {
    if (value.empty() || worktree_.empty() || value.find_first_of("\"\\#;") != value.npos)
      return false;
    std::error_code error;
    return fs::equivalent(git_folder_ / value, worktree_, error);
  }

  const fs::path& git_folder_;
  const fs::path& worktree_;
  std::string section_;
  Names names_ = Names::without;
  bool names_worktree_ = false;
};

}  // namespace

RepositoryConfig check_config(std::string_view text, const fs::path& git_folder,
                              const fs::path& worktree) {
  ConfigReader reader(git_folder, worktree);
  while (!text.empty()) {
    const auto line = text.substr(0, text.find('\n'));
    if (!reader.read_line(line)) return {};
    text.remove_prefix(std::min(text.size(), line.size() + 1));
  }
  return {true, reader.names_worktree()};
}

}  // namespace ralph::permission
