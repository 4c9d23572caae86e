#include "harness/loop/held_files.h"

#include <nlohmann/json.hpp>

#include "core/json/field.h"

namespace ralph::loop {
namespace {

constexpr const char* kFile = "held.json";
constexpr std::size_t kLargestList = std::size_t{16} << 20;

}  // namespace

Result<> save_held(const store::UserState& user, const HeldFiles& list) {
  auto files = json::Document::array();
  for (const auto& file : list.files) {
    files.push_back({{"path", file.path}, {"existed", file.existed}, {"digest", file.digest}});
  }
  json::Document body;
  body["held"] = {
      {"folder", list.folder}, {"files", std::move(files)}, {"workspace", list.workspace}};
  return user.write(kFile, "files that verification moved away; written by ralph only",
                    std::move(body));
}

Result<std::optional<HeldFiles>> load_held(const store::UserState& user) {
  TRY_ASSIGN(const auto body, user.read(kFile, kLargestList));
  if (!body) return std::nullopt;
  const auto& held = json::member(*body, "held");
  HeldFiles list{json::text(held, "folder"), {}, json::text(held, "workspace")};
  for (const auto& file : json::member(held, "files")) {
    list.files.push_back(
        {json::text(file, "path"), json::boolean(file, "existed"), json::text(file, "digest")});
  }
  return list;
}

void forget_held(const store::UserState& user) { user.remove(kFile); }

}  // namespace ralph::loop
