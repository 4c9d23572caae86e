#include "harness/store/guidance.h"

#include <algorithm>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "core/base/id.h"
#include "core/base/text.h"
#include "core/base/time.h"
#include "core/base/utf8.h"
#include "core/json/field.h"
#include "harness/store/private_files.h"
#include "harness/store/workspace.h"

namespace ralph::store {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kLongestText = std::size_t{64} << 10;
constexpr std::size_t kLongestFile = std::size_t{2} << 20;  // the text in JSON in JSON
constexpr std::size_t kMostMessages = 100;
constexpr std::size_t kMostNames = 100'000;  // that are looked at
constexpr const char* kGuidance = "guidance";
constexpr std::string_view kExtension = ".json";

Result<> check_text(std::string_view text) {
  if (is_blank(text)) {
    return fail(Code::usage, "the guidance is empty", "pass the text for the agent");
  }
  if (text.size() <= kLongestText) return {};
  return fail(Code::usage,
              fmt::format("the guidance has {} bytes; the limit is {}", text.size(), kLongestText),
              "put it into a file of the workspace and refer to the file");
}

/// In order; empty also when there is no such directory.
std::vector<std::string> names_in(const Folder& folder) {
  auto names = folder.names(kMostNames).value_or(std::vector<std::string>());
  std::ranges::sort(names);
  return names;
}

/// Files in the workspace may be an agent's: a warning that they are not used; empty: there are none.
std::string about_planted(const Location& place) {
  const auto folder = place.folder();
  if (!folder) {
    return folder.error().code == Code::not_found ? "" : "guidance: " + describe(folder.error());
  }
  const auto names = names_in(*folder);
  if (names.empty()) return {};
  return fmt::format(
      "guidance: '{}'{} ignored: only messages from 'ralph tell' are used, which are not stored "
      "there "
      "(remove files you do not recognize)",
      folder->path_of(names.front()).native(),
      names.size() == 1 ? " is" : fmt::format(" and {} more are", names.size() - 1));
}

Result<Guidance::Message> read_message(const UserState& user, const std::string& name) {
  const auto file = fs::path(kGuidance) / name;
  TRY_ASSIGN(const auto body, user.read(file, kLongestFile));
  if (!body) return fail(Code::not_found, "it was removed meanwhile");
  if (!user.same_folder(*body)) {
    return fail(Code::permission,
                fmt::format("'{}' was written for another directory of this name",
                            (user.folder() / file).native()),
                "remove it, or send it again with 'ralph tell'");
  }
  return Guidance::Message{name, json::text(*body, kGuidance)};
}

}  // namespace

Guidance::Guidance(const fs::path& workspace, fs::path state_folder)
    : user_(workspace, std::move(state_folder)),
      planted_(Workspace::at(workspace).state() / kGuidance) {}

Result<std::string> Guidance::leave(std::string_view text) const {
  TRY(check_text(text));
  if (auto ready = user_.prepare(); !ready) {
    return fail(ready.error().code,
                "the guidance cannot be stored outside the workspace: " + ready.error().message,
                ready.error().hint);
  }
  TRY(make_private_folder(user_.folder() / kGuidance));
  // Sorts by time.
  const auto name =
      fmt::format("{:015}-{}{}", now_utc().time_since_epoch().count(), random_hex(3), kExtension);
  json::Document body;
  body[kGuidance] = utf8::repaired(text);
  TRY(user_.write(fs::path(kGuidance) / name, "message of 'ralph tell'; written by ralph only",
                  std::move(body)));
  return name;
}

std::vector<Guidance::Message> Guidance::pending(std::string& refused) const {
  std::vector<Message> found;
  refused = about_planted(planted_);
  if (user_.folder().empty()) return found;
  const auto folder = Folder::open(user_.folder() / kGuidance);
  if (!folder) return found;
  for (const auto& name : names_in(*folder)) {
    if (found.size() >= kMostMessages) break;
    if (!name.ends_with(kExtension)) continue;
    auto message = read_message(user_, name);
    if (message) {
      found.push_back(*std::move(message));
    } else if (refused.empty() && message.error().code != Code::not_found) {
      refused = "guidance: " + describe(message.error());
    }
  }
  return found;
}

void Guidance::remove(const std::vector<std::string>& names) const {
  if (user_.folder().empty()) return;
  const auto folder = Folder::open(user_.folder() / kGuidance);
  if (!folder) return;
  for (const auto& name : names) static_cast<void>(folder->remove(name));
}

}  // namespace ralph::store
