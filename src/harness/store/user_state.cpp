#include "harness/store/user_state.h"

#include <cstdlib>

#include <fmt/core.h>
#include <nlohmann/json.hpp>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/file.h"
#include "core/base/folder.h"
#include "core/base/hmac.h"
#include "core/base/id.h"
#include "core/base/path.h"
#include "core/base/sha256.h"
#include "core/json/field.h"
#include "harness/store/private_files.h"

namespace ralph::store {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kKeyBytes = 32;

std::string inode_of(const fs::path& path) {
  struct stat info{};
  if (::stat(path.c_str(), &info) != 0) return {};
  return fmt::format("{}:{}", info.st_dev, info.st_ino);
}

/// Two that begin at once end up with one key.
Result<> make_key(const fs::path& root) {
  if (path_exists(root / "key")) return {};
  TRY_ASSIGN(const auto folder, Folder::open(root));
  const auto draft = "key-" + random_hex(4);
  TRY(folder.write_atomically(draft, random_hex(kKeyBytes)));
  auto renamed = folder.rename(draft, "key");
  if (renamed) return {};
  static_cast<void>(folder.remove(draft));
  return renamed.error().code == Code::busy ? Result<>() : renamed;
}

fs::path variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

}  // namespace

fs::path user_state_folder() { return state_folder(variable("XDG_STATE_HOME"), variable("HOME")); }

UserState::UserState(const fs::path& workspace, fs::path folder)
    : root_(std::move(folder)),
      workspace_(real_path(workspace)),
      folder_(root_.empty() ? fs::path()
                            : root_ / "loops" / sha256_hex(workspace_.native()).substr(0, 32)) {}

Result<> UserState::check_place() const {
  if (root_.empty()) {
    return fail(Code::unavailable, "neither HOME nor XDG_STATE_HOME is an absolute path",
                "set XDG_STATE_HOME");
  }
  if (is_below(real_path(root_), workspace_)) {
    return fail(Code::usage, fmt::format("'{}' is in the workspace", root_.native()),
                "set XDG_STATE_HOME to a directory outside it");
  }
  return {};
}

Result<> UserState::prepare() const {
  TRY(check_place());
  TRY(make_folders(root_.parent_path()));
  TRY(make_private_folder(root_));
  TRY(make_private_folder(root_ / "loops"));
  TRY(make_private_folder(folder_));
  TRY(make_key(root_));
  TRY(key());
  return {};
}

Result<std::string> UserState::key() const {
  TRY(check_place());
  const auto file = root_ / "key";
  TRY_ASSIGN(const auto text, read_file(file, 4 * kKeyBytes));
  if (text.size() < 2 * kKeyBytes) {
    return fail(Code::storage, fmt::format("'{}' is not a key written by ralph", file.native()),
                "remove it: the next loop creates a new one");
  }
  return sha256_hex(text);
}

Result<> UserState::write(const fs::path& name, std::string_view about, json::Document body) const {
  TRY_ASSIGN(const auto key, this->key());
  body["workspace"] = workspace_.native();
  body["inode"] = inode_of(workspace_);
  const auto text = json::write(body);
  json::Document file;
  file["about"] = about;
  file["mac"] = hmac_sha256_hex(key, text);
  file["body"] = text;
  return write_file_atomically(folder_ / name, json::write(file) + "\n");
}

Result<std::optional<json::Document>> UserState::read(const fs::path& name,
                                                      std::size_t max_bytes) const {
  const auto path = folder_ / name;
  if (folder_.empty() || !path_exists(path)) return std::nullopt;
  const auto bad = [&](std::string_view what) {
    return fail(Code::permission, fmt::format("'{}' {}", path.native(), what));
  };
  const auto key = this->key();
  if (!key) return bad("cannot be checked: " + describe(key.error()));
  const auto text = read_file(path, max_bytes);
  if (!text) return bad("cannot be read: " + text.error().message);
  const auto file = json::parse(*text);
  if (!file || !file->is_object()) return bad("is not what ralph wrote there");
  const auto body_text = json::text(*file, "body");
  if (!equal_in_constant_time(hmac_sha256_hex(*key, body_text), json::text(*file, "mac"))) {
    return bad("was changed by another program: its MAC does not match");
  }
  auto body = json::parse(body_text);
  if (!body) return bad("is not what ralph wrote there");
  if (json::text(*body, "workspace") != workspace_.native()) {
    return bad("belongs to another workspace");
  }
  return *std::move(body);
}

void UserState::remove(const fs::path& name) const {
  if (!folder_.empty()) ::unlink((folder_ / name).c_str());
}

bool UserState::same_folder(const json::Document& body) const {
  return json::text(body, "inode") == inode_of(workspace_);
}

}  // namespace ralph::store
