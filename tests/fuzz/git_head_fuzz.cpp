// Whatever HEAD and packed-refs hold: a ref's name never leads out of refs/, an id is an id, the
// error quotes nothing, and pieces of any size give the same.
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <string_view>

#include "system/git/ref.h"

namespace {

namespace git = ralph::git;

void require(bool promise) {
  if (!promise) std::abort();
}

void check_ref(std::string_view text) {
  const auto ref = git::parse_ref(text, "HEAD");
  if (!ref) {
    require(ref.error().code == ralph::Code::malformed && ref.error().message.size() < 300);
    return;
  }
  require(ref->commit.empty() != ref->target.empty());
  require(ref->commit.empty() || git::is_commit_id(ref->commit));
  if (ref->target.empty()) return;
  const auto path = std::filesystem::path("/git") / ref->target;
  require(path.native() == "/git/" + ref->target && path.lexically_normal() == path);
  require(ref->target.starts_with("refs/") && ref->target.find('\0') == std::string::npos);
}

void check_packed(std::string_view name, std::string_view text, std::size_t size) {
  git::PackedSearch whole(name), pieces(name);
  whole.feed(text);
  for (std::size_t at = 0; at < text.size(); at += size) pieces.feed(text.substr(at, size));
  const auto id = whole.finish();
  require(pieces.finish() == id && id.size() <= 64);
  require(id.empty() || text.find(id + " " + std::string(name)) != text.npos);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  check_ref(text);
  check_ref("ref: refs/" + std::string(text));
  const auto name = text.substr(0, text.find('\n'));
  if (git::is_ref_name(name)) check_packed(name, text.substr(name.size()), 1 + size % 7);
  check_packed("refs/heads/main", text, 1 + size % 7);
  return 0;
}
