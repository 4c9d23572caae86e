#include "agent/web/page.h"

#include <algorithm>
#include <array>
#include <chrono>

#include <fmt/format.h>

#include "agent/tool/text_encoding.h"
#include "agent/web/html_text.h"
#include "core/base/text.h"
#include "core/base/utf8.h"
#include "system/http/client.h"

namespace ralph::web {
namespace {

using std::chrono::steady_clock;

http::ClientRequest request_for(const Url& url, const FetchLimits& limits) {
  http::ClientRequest request;
  request.url = url.text();
  request.headers = {{"accept", "text/markdown, text/html, */*"},
                     {"user-agent", "ralph-agent (fetches pages for its user)"}};
  request.form = http::BodyForm::decoded;
  request.connect_timeout = std::min(limits.time, Millis{15'000});
  request.head_timeout = std::min(limits.time, Millis{30'000});
  request.stall_timeout = std::min(limits.time, Millis{20'000});
  return request;
}

/// "text/html; charset=utf-8".
void read_type(std::string_view header, Page& page) {
  page.type = to_lower(trim(header.substr(0, header.find(';'))));
  const auto lower = to_lower(header);
  constexpr std::string_view kCharset = "charset=";
  const auto at = lower.find(kCharset);
  if (at == lower.npos) return;
  const auto value = std::string_view(lower).substr(at + kCharset.size());
  page.charset = trim(value.substr(0, value.find(';')), " \t\"'");
}

/// Collects an answer within the limits.
class Collector {
 public:
  explicit Collector(const FetchLimits& limits)
      : limits_(limits), deadline_(steady_clock::now() + limits.time) {}

  Result<> head(const http::Response& response) {
    page.status = response.status;
    read_type(response.headers.find("content-type").value_or(""), page);
    page.location = response.headers.find("location").value_or("");
    return {};
  }
  Result<> body(std::string_view bytes) {
    if (steady_clock::now() > deadline_) {
      return fail(Code::limit,
                  fmt::format("the page was not complete after {}", format_duration(limits_.time)));
    }
    if (page.status < 200 || page.status > 299) return count(bytes);
    page.body += bytes;
    return count(bytes);
  }

  Page page;

 private:
  Result<> count(std::string_view bytes) {
    bytes_ += bytes.size();
    if (bytes_ <= limits_.bytes) return {};
    return fail(Code::limit, fmt::format("the page is larger than {} bytes", limits_.bytes));
  }

  const FetchLimits& limits_;
  steady_clock::time_point deadline_;
  std::size_t bytes_ = 0;
};

bool is_html(const Page& page) {
  return page.type == "text/html" || page.type == "application/xhtml+xml";
}

bool is_text_type(std::string_view type) {
  constexpr std::array<std::string_view, 8> kTexts{
      "application/json",   "application/xml",  "application/javascript", "application/ecmascript",
      "application/x-yaml", "application/yaml", "application/toml",       "application/x-ndjson",
  };
  return type.starts_with("text/") || type.ends_with("+json") || type.ends_with("+xml") ||
         type.ends_with("+yaml") || std::ranges::find(kTexts, type) != kTexts.end();
}

bool is_latin(std::string_view charset) {
  constexpr std::array<std::string_view, 4> kNames{"iso-8859-1", "latin1", "windows-1252",
                                                   "us-ascii"};
  return std::ranges::find(kNames, charset) != kNames.end();
}

std::string from_latin(std::string_view bytes) {
  std::string text;
  for (const char c : bytes) utf8::append(text, static_cast<unsigned char>(c));
  return text;
}

std::string as_utf8(const Page& page) {
  const auto text = tool::decoded(page.body, tool::encoding_of(page.body));
  if (utf8::valid(text)) return text;
  return is_latin(page.charset) ? from_latin(text) : utf8::repaired(text);
}

}  // namespace

Result<Page> fetch_page(const Url& url, const FetchLimits& limits, const std::stop_token& stop) {
  http::Client client({.proxy = limits.local ? http::ProxyUse::environment_but_loopback
                                             : http::ProxyUse::environment,
                       .public_only = !limits.local});
  Collector collector(limits);
  const auto sent = client.send(request_for(url, limits),
                                {[&](const http::Response& head) { return collector.head(head); },
                                 [&](std::string_view bytes) { return collector.body(bytes); }},
                                stop);
  if (!sent) return std::unexpected(sent.error());
  return std::move(collector.page);
}

std::optional<std::string> text_of(const Page& page) {
  const auto head = std::string_view(page.body).substr(0, 8192);
  const bool no_type = page.type.empty() || page.type == "application/octet-stream";
  const bool looks_like_text = !tool::is_binary(head);
  if (!looks_like_text || !(no_type || is_text_type(page.type) || is_html(page)))
    return std::nullopt;
  auto text = as_utf8(page);
  return is_html(page) ? html_text(text) : text;
}

}  // namespace ralph::web
