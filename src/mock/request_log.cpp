#include "mock/request_log.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

#include <fcntl.h>
#include <fmt/core.h>
#include <nlohmann/json.hpp>
#include <sys/stat.h>

#include "core/base/file.h"
#include "core/base/utf8.h"
#include "core/json/mask.h"
#include "core/json/writer.h"

namespace ralph::mock {
namespace {

constexpr auto kSecretHeaders = std::to_array<std::string_view>(
    {"x-api-key", "authorization", "proxy-authorization", "cookie"});

/// "Bearer sk-a***": enough to recognise the key.
std::string first_characters(std::string_view secret) {
  const auto space = secret.find(' ');
  const auto scheme = space == secret.npos ? 0 : space + 1;
  const auto shown = std::min<std::size_t>(4, (secret.size() - scheme) / 3);
  return utf8::repaired(secret.substr(0, scheme + shown)) + "***";
}

std::string masked_header(const http::Header& header, const Masker& masker) {
  const bool secret = std::ranges::any_of(kSecretHeaders, [&](std::string_view name) {
    return http::equal_ignoring_case(header.name, name);
  });
  return secret ? first_characters(header.value) : masker.mask(utf8::repaired(header.value));
}

std::string headers_json(const http::Headers& headers, const Masker& masker) {
  auto object = json::Document::object();
  for (const auto& header : headers) {
    auto value = masked_header(header, masker);
    const auto [place, added] = object.emplace(header.name, value);
    if (!added) *place = place->get<std::string>() + ", " + value;
  }
  return json::write(object);
}

std::string body_json(const Call& call, const Masker& masker) {
  if (call.body != nullptr) return json::mask(json::write(*call.body), masker);
  if (call.request.body.empty()) return "null";
  std::string text;
  json::append_string(text, masker.mask(utf8::repaired(call.request.body)));
  return text;
}

}  // namespace

std::string log_line(const Call& call, const Outcome& outcome, const Masker& masker, UtcTime time) {
  const auto& request = call.request;
  std::string line;
  json::ObjectWriter(line)
      .text("time", iso_utc(time))
      .text("request_id", call.request_id)
      .text("method", request.method)
      .text("target", masker.mask(utf8::repaired(request.target)))
      .raw("headers", headers_json(request.headers, masker))
      .raw("body", body_json(call, masker))
      .raw("step", outcome.step ? fmt::format("{}", *outcome.step) : "null")
      .raw("status", outcome.status ? fmt::format("{}", *outcome.status) : "null")
      .raw("usage", outcome.usage.empty() ? "null" : outcome.usage)
      .close();
  return line + "\n";
}

RequestLog::RequestLog(std::filesystem::path path, UniqueFd fd, const Masker& masker)
    : path_(std::move(path)), fd_(std::move(fd)), masker_(masker) {}

Result<std::unique_ptr<RequestLog>> RequestLog::open(const std::filesystem::path& path,
                                                     const Masker& masker) {
  const auto what = fmt::format("cannot write the log '{}'", path.native());
  UniqueFd fd(::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0600));
  if (!fd) return fail_errno(errno, what);
  struct stat info{};
  const bool file = ::fstat(fd.get(), &info) == 0 && S_ISREG(info.st_mode);
  if (file && ::fchmod(fd.get(), 0600) != 0) return fail_errno(errno, what);
  return std::unique_ptr<RequestLog>(new RequestLog(path, std::move(fd), masker));
}

void RequestLog::write(const Call& call, const Outcome& outcome) {
  const auto line = log_line(call, outcome, masker_, now_utc());
  const std::scoped_lock lock(mutex_);
  if (failure_) return;
  if (const auto written = write_all(fd_.get(), line, path_.native()); !written) {
    failure_ = written.error();
  }
}

std::optional<Error> RequestLog::failure() const {
  const std::scoped_lock lock(mutex_);
  return failure_;
}

}  // namespace ralph::mock
