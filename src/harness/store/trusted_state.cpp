#include "harness/store/trusted_state.h"

#include <algorithm>
#include <cerrno>

#include <fcntl.h>
#include <fmt/core.h>
#include <nlohmann/json.hpp>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/file.h"
#include "core/base/hmac.h"
#include "core/base/path.h"
#include "core/base/unique_fd.h"
#include "core/json/field.h"
#include "harness/store/loop_state_json.h"
#include "harness/store/private_files.h"

namespace ralph::store {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMacDigits = 64;
constexpr std::size_t kMostState = std::size_t{8} << 20;
constexpr std::size_t kMostRecords = std::size_t{256} << 20;
constexpr const char* kState = "loop.json";

std::unexpected<Error> not_ours(const fs::path& file, std::string_view what) {
  return fail(Code::permission, fmt::format("'{}' {}", file.native(), what),
              std::string(kUntrustedStateHint));
}

}  // namespace

TrustedState::TrustedState(const fs::path& workspace, fs::path folder)
    : user_(workspace, std::move(folder)) {}

fs::path TrustedState::records_file() const {
  return user_.folder() / (chain_.loop_id + ".ndjson");
}

Result<> TrustedState::save(const LoopState& state) {
  if (chain_.loop_id != state.loop_id) chain_ = {state.loop_id, {}, 0, 0, 0};
  json::Document body;
  body["records"] = chain_.count;
  body["state"] = document_of(state);
  TRY(user_.write(kState, "state used by 'ralph loop --resume'; written by ralph only",
                  std::move(body)));
  chain_.saved = chain_.count;
  return {};
}

Result<std::optional<LoopState>> TrustedState::load() {
  auto body = user_.read(kState, kMostState);
  if (!body) return fail(body.error().code, body.error().message, std::string(kUntrustedStateHint));
  if (!*body) return std::nullopt;
  auto state = state_of(json::member(**body, "state"));
  if (!state) return not_ours(user_.folder() / kState, "is not what ralph wrote there");
  chain_ = {state->loop_id, {}, 0, json::integer(**body, "records"), 0};
  same_folder_ = user_.same_folder(**body);
  return state;
}

/// A line is bound to its loop and to all lines before it.
std::string TrustedState::next_mac(std::string_view key, std::string_view line) const {
  return hmac_sha256_hex(key, fmt::format("{}\n{}\n{}", chain_.loop_id, chain_.mac, line));
}

Result<std::vector<LoopRecord>> TrustedState::records() {
  std::vector<LoopRecord> records;
  chain_ = {chain_.loop_id, {}, 0, chain_.saved, 0};
  const auto file = records_file();
  const auto too_few = [&] { return not_ours(file, "has fewer records than ralph wrote"); };
  if (!path_exists(file)) {
    if (chain_.saved > 0) return too_few();
    return records;
  }
  TRY_ASSIGN(const auto key, user_.key());
  TRY_ASSIGN(const auto text, read_file(file, kMostRecords));
  std::string_view rest = text;
  // A line without its end was cut by a crash: it was never relied on.
  for (auto end = rest.find('\n'); end != rest.npos; end = rest.find('\n')) {
    const auto line = rest.substr(0, end);
    rest.remove_prefix(end + 1);
    const auto json = line.substr(std::min(kMacDigits + 1, line.size()));
    auto mac = next_mac(key, json);
    auto record = read_record(json);
    if (!record || !equal_in_constant_time(mac, line.substr(0, kMacDigits))) {
      return not_ours(file, "was changed by another program: a MAC does not match");
    }
    chain_.mac = std::move(mac);
    ++chain_.count;
    chain_.bytes = static_cast<std::int64_t>(text.size() - rest.size());
    records.push_back(*std::move(record));
  }
  if (chain_.count < chain_.saved) return too_few();
  return records;
}

Result<> TrustedState::append(const LoopRecord& record) {
  TRY_ASSIGN(const auto key, user_.key());
  const auto json = write_record(record);
  auto mac = next_mac(key, json);
  const UniqueFd fd(
      ::open(records_file().c_str(), O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (!fd) {
    return fail_storage(errno, fmt::format("cannot open '{}'", records_file().native()));
  }
  const auto line = fmt::format("{} {}\n", mac, json);
  int error = ::ftruncate(fd.get(), chain_.bytes) != 0 ? errno : try_write_all(fd.get(), line);
  if (error == 0 && ::fdatasync(fd.get()) != 0) error = errno;
  if (error != 0) {
    return fail_storage(error, fmt::format("cannot write '{}'", records_file().native()));
  }
  chain_.mac = std::move(mac);
  ++chain_.count;
  chain_.bytes += static_cast<std::int64_t>(line.size());
  return {};
}

Result<> TrustedState::restart(const std::string& loop_id) {
  chain_ = {loop_id, {}, 0, 0, 0};
  if (::unlink(records_file().c_str()) == 0 || errno == ENOENT) return {};
  return fail_storage(errno, fmt::format("cannot remove '{}'", records_file().native()));
}

void TrustedState::forget_others() const {
  std::error_code error;
  for (fs::directory_iterator at(user_.folder(), error), end; !error && at != end;
       at.increment(error)) {
    std::error_code ignored;
    if (at->path().extension() == ".ndjson" && at->path() != records_file()) {
      fs::remove(at->path(), ignored);
    }
  }
}

}  // namespace ralph::store
