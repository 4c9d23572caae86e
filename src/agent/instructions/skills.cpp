#include "agent/instructions/skills.h"

#include <algorithm>
#include <functional>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "agent/instructions/frontmatter.h"
#include "agent/settings/options.h"
#include "core/base/path.h"
#include "core/base/text.h"
#include "core/base/utf8.h"
#include "core/json/document.h"

namespace ralph::instructions {
namespace {

namespace fs = std::filesystem;

constexpr int kDeepest = 8;
constexpr std::size_t kMostEntries = 10'000;  // read below one directory
constexpr std::size_t kMostSkills = 1'000;
constexpr std::size_t kMostMembers = 100;
constexpr std::size_t kLongestName = 100;
constexpr std::size_t kLongestDescription = 500;  // code points
constexpr std::string_view kSkillFile = "SKILL.md";
constexpr std::string_view kSkillFolder = "${CLAUDE_SKILL_DIR}";

/// Can be typed after a slash.
bool is_name(std::string_view name) {
  const auto odd = [](char c) { return (c >= 0 && c <= ' ') || c == '/' || c == '\x7f'; };
  return !name.empty() && name.size() <= kLongestName && utf8::valid(name) &&
         std::ranges::none_of(name, odd);
}

/// "who when", "[who, when]" or "- who - when".
std::vector<std::string> argument_names(std::string_view list) {
  constexpr std::string_view kBetween = " \t,[]\"'-";
  std::vector<std::string> names;
  while (true) {
    list.remove_prefix(std::min(list.find_first_not_of(kBetween), list.size()));
    if (list.empty()) return names;
    names.emplace_back(list.substr(0, list.find_first_of(kBetween)));
    list.remove_prefix(names.back().size());
  }
}

/// From the frontmatter, or else the first line.
std::string description_of(const MarkdownText& text) {
  std::string description(text.value("description"));
  if (const auto when = text.value("when_to_use"); !when.empty()) {
    description.append(description.empty() ? "" : " ").append(when);
  }
  if (description.empty()) {
    const auto body = std::string_view(text.body);
    auto line = trim(body.substr(0, body.find('\n')));
    line.remove_prefix(std::min(line.find_first_not_of("# "), line.size()));
    description = line;
  }
  return utf8::shortened(description, kLongestDescription);
}

/// Visits directories recursively, sorted by name: each once, up to kDeepest levels and kMostEntries entries.
class Walk {
 public:
  /// Returns whether to visit its subdirectories.
  using Visit = std::function<bool(const fs::path& folder, const std::vector<fs::path>& files)>;

  Walk(fs::path boundary, Visit visit) : boundary_(std::move(boundary)), visit_(std::move(visit)) {}

  void through(const fs::path& folder, int depth = 0) {
    std::error_code error;
    const auto real = fs::canonical(folder, error);
    if (error || depth > kDeepest || (!boundary_.empty() && !is_below(real, boundary_))) return;
    if (std::ranges::find(done_, real) != done_.end()) return;
    done_.push_back(real);
    std::vector<fs::path> folders, files;
    for (fs::directory_iterator at(real, error), end; !error && at != end; at.increment(error)) {
      if (++entries_ > kMostEntries) break;
      std::error_code unknown;
      (at->is_directory(unknown) ? folders : files).push_back(folder / at->path().filename());
    }
    std::ranges::sort(folders);
    std::ranges::sort(files);
    if (!visit_(folder, files)) return;
    for (const auto& next : folders) through(next, depth + 1);
  }

 private:
  fs::path boundary_;
  Visit visit_;
  std::vector<fs::path> done_;
  std::size_t entries_ = 0;
};

/// A directory to search for skills.
struct Place {
  fs::path root;
  fs::path boundary;  // as for read_source_file()
  const settings::DeniedFiles& denied;

  std::optional<settings::SourceFile> read(const fs::path& path) const {
    auto file = settings::read_source_file(path, boundary);
    if (file && !boundary.empty() && denied.contains(path, file->path)) return std::nullopt;
    return file;
  }
};

std::optional<Skill> read_skill(Skill::Kind kind, std::string name, const fs::path& path,
                                const Place& place) {
  if (!is_name(name)) return std::nullopt;
  auto file = place.read(path);
  if (!file) return std::nullopt;
  const auto text = parse_frontmatter(file->text);
  Skill skill{kind,
              std::move(name),
              description_of(text),
              std::string(text.value("argument-hint")),
              std::move(file->path),
              place.boundary};
  skill.for_model = !text.is_true("disable-model-invocation");
  skill.allowed_tools = settings::split_rules(text.value("allowed-tools"));
  return skill;
}

using Add = std::function<void(Skill)>;

void find_skills(const Place& place, const Add& add) {
  Walk(place.boundary, [&](const fs::path& folder, const std::vector<fs::path>& files) {
    const auto file = folder / kSkillFile;
    if (std::ranges::find(files, file) == files.end()) return true;
    auto skill = read_skill(Skill::Kind::skill, folder.filename().string(), file, place);
    if (skill) add(*std::move(skill));
    return false;
  }).through(place.root);
}

/// sub/deep.md is "sub:deep".
void find_commands(const Place& place, const Add& add) {
  Walk(place.boundary, [&](const fs::path&, const std::vector<fs::path>& files) {
    for (const auto& file : files) {
      if (file.extension() != ".md") continue;
      auto name = file.lexically_relative(place.root).replace_extension().generic_string();
      std::ranges::replace(name, '/', ':');
      auto skill = read_skill(Skill::Kind::command, std::move(name), file, place);
      if (skill) add(*std::move(skill));
    }
    return true;
  }).through(place.root);
}

/// A JSON list of names, or an object with one in "skills".
std::vector<std::string> members_of(const json::Document& set) {
  std::vector<std::string> members;
  const bool named = set.is_object() && set.contains("skills");
  const auto& list = named ? set.at("skills") : set;
  if (!list.is_array()) return members;
  for (const auto& name : list) {
    if (name.is_string() && members.size() < kMostMembers)
      members.push_back(name.get<std::string>());
  }
  return members;
}

void find_sets(const Place& place, const Add& add) {
  Walk(place.boundary, [&](const fs::path&, const std::vector<fs::path>& files) {
    for (const auto& path : files) {
      if (path.extension() != ".json" || !is_name(path.stem().string())) continue;
      auto file = place.read(path);
      if (!file) continue;
      auto members = members_of(json::parse(file->text).value_or(json::Document()));
      if (members.empty()) continue;
      std::string names;
      for (const auto& name : members) names += (names.empty() ? "" : ", ") + name;
      Skill set{Skill::Kind::set,
                path.stem().string(),
                utf8::shortened("Loads these skills together: " + names, kLongestDescription),
                "",
                std::move(file->path),
                place.boundary};
      set.members = std::move(members);
      add(std::move(set));
    }
    return false;
  }).through(place.root);
}

std::string replaced(std::string_view text, std::string_view what, std::string_view with) {
  std::string out;
  for (;;) {
    const auto at = text.find(what);
    out += text.substr(0, at);
    if (at == text.npos || out.size() > kLargestSkillText) return out;
    out += with;
    text.remove_prefix(at + what.size());
  }
}

}  // namespace

bool Skill::runs_commands() const {
  return std::ranges::any_of(allowed_tools, [](const std::string& rule) {
    return rule == "Bash" || rule.starts_with("Bash(");
  });
}

Skills Skills::find(const settings::Options& options, const settings::Environment& environment,
                    const fs::path& cwd, settings::DeniedFiles denied) {
  Skills skills;
  skills.denied_ = std::move(denied);
  std::error_code error;
  const auto real = fs::canonical(cwd, error);
  if (options.bare || options.disable_slash_commands || error) return skills;
  const Add add = [&](Skill skill) { skills.add(std::move(skill)); };
  const auto own = environment.config_folder();
  const auto shared = real / ".claude";
  const bool user = settings::wants(options, "user");
  const bool project = settings::wants(options, "project");
  if (user) find_skills({own / "skills", {}, skills.denied_}, add);
  if (project) {
    find_skills({shared / "skills", real, skills.denied_}, add);
    find_skills({shared / "library", real, skills.denied_}, add);
    find_sets({shared / "skillsets", real, skills.denied_}, add);
  }
  if (user) find_commands({own / "commands", {}, skills.denied_}, add);
  if (project) find_commands({shared / "commands", real, skills.denied_}, add);
  return skills;
}

void Skills::add(Skill skill) {
  // A set must not make skills callable that are not.
  skill.for_model = skill.for_model && std::ranges::all_of(skill.members, [&](const auto& name) {
                      const auto* member = find(name);
                      return member == nullptr || member->for_model;
                    });
  if (all_.size() < kMostSkills) all_.try_emplace(skill.name, std::move(skill));
}

const Skill* Skills::find(std::string_view name) const {
  const auto found = all_.find(name);
  return found == all_.end() ? nullptr : &found->second;
}

Result<std::string> Skills::text(const Skill& skill, std::string_view arguments,
                                 const RunCommand& run) const {
  if (skill.kind == Skill::Kind::set) return text_of_set(skill, arguments, run);
  const auto file = Place{{}, skill.boundary, denied_}.read(skill.file);
  if (!file) {
    return fail(Code::not_found, fmt::format("The skill {} can no longer be read.", skill.name));
  }
  const auto markdown = parse_frontmatter(file->text);
  const auto& body = markdown.body;
  const auto names = argument_names(markdown.value("arguments"));
  if (skill.kind == Skill::Kind::command) return with_arguments(body, arguments, run, names);
  const auto folder = file->path.parent_path().string();
  TRY_ASSIGN(const auto filled,
             with_arguments(replaced(body, kSkillFolder, folder), arguments, run, names));
  return fmt::format("The files of this skill are in {}\n\n{}", folder, filled);
}

/// The texts of all members, with a note for each that is missing or too large.
std::string Skills::text_of_set(const Skill& set, std::string_view arguments,
                                const RunCommand& run) const {
  std::string all = fmt::format("The skills of the set {}:\n", set.name);
  for (const auto& name : set.members) {
    const auto* skill = find(name);
    const bool usable = skill != nullptr && skill->kind == Skill::Kind::skill;
    const auto one = usable ? text(*skill, arguments, run) : fail(Code::not_found, "");
    if (!one && one.error().code != Code::limit) {
      all += fmt::format("\n(There is no skill {}.)\n", name);
    } else if (!one || all.size() + one->size() > kLargestSkillText) {
      all += fmt::format("\n(The skill {} is left out: the set is too large.)\n", name);
    } else {
      all += fmt::format("\n# Skill {}\n\n{}\n", name, *one);
    }
  }
  return all;
}

}  // namespace ralph::instructions
