#include "agent/session/transcript.h"

#include <algorithm>
#include <cerrno>
#include <tuple>
#include <utility>

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "agent/session/transcript_impl.h"
#include "agent/tool/safe_file.h"
#include "core/base/file.h"
#include "core/base/id.h"
#include "core/base/time.h"
#include "core/base/utf8.h"
#include "core/base/words.h"
#include "core/json/writer.h"

namespace ralph::session {
namespace {

constexpr Words<EntryType, 4> kEntryTypes{{"user", "assistant", "system", "attachment"}};

/// JSON text on one line: a line break in it can only be white space.
std::string on_one_line(std::string json) {
  std::ranges::replace_if(json, [](char c) { return c == '\n' || c == '\r'; }, ' ');
  return json;
}

constexpr const char* kWriteHint =
    "free disk space or fix its permissions, or use --no-session-persistence";

std::unexpected<Error> cannot_write(int error_number, const std::filesystem::path& path) {
  return fail_errno(error_number, fmt::format("cannot write the session file '{}'", path.native()),
                    kWriteHint);
}

/// Returns the bytes written; if fewer than requested, `failure` is errno.
std::size_t write_out(int fd, std::string_view bytes, int& failure) {
  std::size_t done = 0;
  while (done < bytes.size()) {
    const auto count = ::write(fd, bytes.data() + done, bytes.size() - done);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) {
      failure = count < 0 ? errno : EIO;
      break;
    }
    done += static_cast<std::size_t>(count);
  }
  return done;
}

bool ends_within_a_line(int fd, off_t size) {
  char last = '\n';
  return size > 0 && ::pread(fd, &last, 1, size - 1) == 1 && last != '\n';
}

std::string totals_json(const ModelTotal& total) {
  const auto& usage = total.usage;
  std::string out;
  json::ObjectWriter(out)
      .number("inputTokens", usage.input_tokens)
      .number("outputTokens", usage.output_tokens)
      .number("thinkingTokens", usage.thinking_tokens)
      .number("cacheReadInputTokens", usage.cache_read_input_tokens)
      .number("cacheCreationInputTokens", usage.cache_creation_input_tokens)
      .number("cacheCreationEphemeral5mInputTokens", usage.cache_creation_5m)
      .number("cacheCreationEphemeral1hInputTokens", usage.cache_creation_1h)
      .number("webSearchRequests", usage.web_search_requests)
      .number("costUSD", total.cost_usd)
      .close();
  return out;
}

}  // namespace

Transcript::Transcript(std::filesystem::path path, Stamp stamp, std::string parent)
    : path_(std::move(path)), stamp_(std::move(stamp)), parent_(std::move(parent)) {
  for (auto* text : {&stamp_.session_id, &stamp_.cwd, &stamp_.version, &stamp_.git_branch,
                     &stamp_.permission_mode}) {
    *text = utf8::repaired(*text);
  }
}

Result<> Transcript::append(const Entry& entry) {
  const std::string uuid = entry.uuid.empty() ? make_uuid() : entry.uuid;
  std::string line;
  json::ObjectWriter writer(line);
  if (parent_.empty()) {
    writer.raw("parentUuid", "null");
  } else {
    writer.text("parentUuid", parent_);
  }
  writer.boolean("isSidechain", is_side_chain()).text("type", kEntryTypes.of(entry.type));
  if (!entry.message.empty()) writer.raw("message", on_one_line(entry.message));
  if (!entry.members.empty()) line += "," + on_one_line(entry.members);
  writer.text("uuid", uuid).text("timestamp", iso_utc(now_utc()));
  if (entry.type == EntryType::user && !stamp_.permission_mode.empty()) {
    writer.text("permissionMode", stamp_.permission_mode);
  }
  writer.text("userType", "external")
      .text("entrypoint", "sdk-cli")
      .text("cwd", stamp_.cwd)
      .text("sessionId", stamp_.session_id)
      .text("version", stamp_.version)
      .text("gitBranch", stamp_.git_branch);
  if (is_side_chain()) writer.text("agentId", stamp_.agent_id);
  writer.close();
  TRY(write_line(std::move(line)));
  parent_ = uuid;
  return {};
}

Result<> Transcript::append_root(const Entry& entry) {
  auto before = std::exchange(parent_, {});
  auto written = append(entry);
  if (!written) parent_ = std::move(before);
  return written;
}

Result<> Transcript::append_totals(const std::vector<ModelTotal>& totals) {
  double cost = 0;
  std::string models;
  json::ObjectWriter by_model(models);
  for (const auto& total : totals) {
    cost += total.cost_usd;
    by_model.raw(utf8::repaired(total.model), totals_json(total));
  }
  by_model.close();

  std::string line;
  json::ObjectWriter(line)
      .text("type", "cost-state")
      .text("sessionId", stamp_.session_id)
      .number("totalCostUSD", cost)
      .number("totalAPIDuration", std::int64_t{0})
      .number("totalAPIDurationWithoutRetries", std::int64_t{0})
      .number("totalToolDuration", std::int64_t{0})
      .number("totalLinesAdded", std::int64_t{0})
      .number("totalLinesRemoved", std::int64_t{0})
      .number("totalDuration", std::int64_t{0})
      .number("startTime", std::int64_t{now_utc().time_since_epoch().count()})
      .raw("modelUsage", models)
      .boolean("hasUnknownModelCost", false)
      .close();
  return write_line(std::move(line));
}

Result<> Transcript::append_title(std::string_view title) {
  std::string line;
  json::ObjectWriter(line)
      .text("type", "custom-title")
      .text("customTitle", utf8::repaired(title))
      .text("sessionId", stamp_.session_id)
      .close();
  return write_line(std::move(line));
}

Result<> Transcript::open() {
  TRY(make_folders(path_.parent_path(), 0700));
  auto file = tool::open_for_appending(resolved_session_path(path_));
  if (!file) {
    return fail(file.error().code,
                fmt::format("cannot write the session file: {}", file.error().message), kWriteHint);
  }
  fd_ = *std::move(file);
  // A file that cannot be chmodded may still be writable.
  std::ignore = ::fchmod(fd_.get(), 0600);
  return {};
}

Result<> Transcript::write_line(std::string line) {
  const bool first = !fd_;
  if (first) TRY(open());
  struct stat before{};
  if (::fstat(fd_.get(), &before) != 0) return cannot_write(errno, path_);
  if (first && ends_within_a_line(fd_.get(), before.st_size)) line.insert(0, 1, '\n');
  line += '\n';

  int failure = 0;
  const auto done = write_out(fd_.get(), line, failure);
  if (failure == 0) return {};
  struct stat after{};
  const bool only_ours =
      ::fstat(fd_.get(), &after) == 0 && after.st_size == before.st_size + static_cast<off_t>(done);
  if (done > 0 && only_ours) std::ignore = ::ftruncate(fd_.get(), before.st_size);
  fd_.reset();  // the next line checks again how the file ends
  return cannot_write(failure, path_);
}

}  // namespace ralph::session
