#include "system/http/message.h"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/core.h>

#include "core/base/text.h"

namespace ralph::http {
namespace {

struct Reason {
  int status;
  std::string_view phrase;
};

constexpr auto kReasons = std::to_array<Reason>({
    {100, "Continue"},
    {200, "OK"},
    {204, "No Content"},
    {301, "Moved Permanently"},
    {302, "Found"},
    {303, "See Other"},
    {304, "Not Modified"},
    {307, "Temporary Redirect"},
    {308, "Permanent Redirect"},
    {400, "Bad Request"},
    {401, "Unauthorized"},
    {402, "Payment Required"},
    {403, "Forbidden"},
    {404, "Not Found"},
    {405, "Method Not Allowed"},
    {408, "Request Timeout"},
    {409, "Conflict"},
    {410, "Gone"},
    {413, "Content Too Large"},
    {429, "Too Many Requests"},
    {431, "Request Header Fields Too Large"},
    {500, "Internal Server Error"},
    {501, "Not Implemented"},
    {502, "Bad Gateway"},
    {503, "Service Unavailable"},
    {504, "Gateway Timeout"},
    {505, "HTTP Version Not Supported"},
    {529, "Overloaded"},
});

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool list_has(std::string_view list, std::string_view word) {
  for (;;) {
    const auto comma = list.find(',');
    if (equal_ignoring_case(trim(list.substr(0, comma), " \t"), word)) return true;
    if (comma == list.npos) return false;
    list.remove_prefix(comma + 1);
  }
}

}  // namespace

std::string_view reason_phrase(int status) {
  const auto* found = std::ranges::find(kReasons, status, &Reason::status);
  return found == kReasons.end() ? "Unknown" : found->phrase;
}

bool is_token(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) {
    constexpr std::string_view kOthers = "!#$%&'*+-.^_`|~";
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    return letter || (c >= '0' && c <= '9') || kOthers.find(c) != kOthers.npos;
  });
}

bool equal_ignoring_case(std::string_view a, std::string_view b) {
  return std::ranges::equal(a, b, {}, lower, lower);
}

void Headers::add(std::string name, std::string value) {
  list_.push_back({std::move(name), std::move(value)});
}

void Headers::set(std::string name, std::string value) {
  std::erase_if(list_, [&](const Header& one) { return equal_ignoring_case(one.name, name); });
  add(std::move(name), std::move(value));
}

std::optional<std::string_view> Headers::find(std::string_view name) const {
  for (const auto& header : list_) {
    if (equal_ignoring_case(header.name, name)) return header.value;
  }
  return std::nullopt;
}

bool Headers::has_word(std::string_view name, std::string_view word) const {
  return std::ranges::any_of(list_, [&](const Header& header) {
    return equal_ignoring_case(header.name, name) && list_has(header.value, word);
  });
}

std::string head_bytes(int status, const Headers& headers) {
  auto bytes = fmt::format("HTTP/1.1 {} {}\r\n", status, reason_phrase(status));
  for (const auto& header : headers) bytes += fmt::format("{}: {}\r\n", header.name, header.value);
  return bytes + "\r\n";
}

}  // namespace ralph::http
