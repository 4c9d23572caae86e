#pragma once
// What every part of fake_agent needs. Included by it alone.
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <string>
#include <string_view>

#include <time.h>
#include <unistd.h>

namespace {

using Clock = std::chrono::steady_clock;

void put(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t n = ::write(fd, bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return;
    bytes.remove_prefix(static_cast<std::size_t>(n));
  }
}

void out(const std::string& text) { put(1, text); }

void wait_ms(long ms) {
  timespec left{ms / 1000, (ms % 1000) * 1'000'000};
  while (::nanosleep(&left, &left) != 0 && errno == EINTR) {
  }
}

[[noreturn]] void sleep_for_ever() {
  for (;;) ::pause();
}

std::size_t number(const std::string& text) { return std::strtoull(text.c_str(), nullptr, 10); }

void append_utf8(std::string& text, unsigned code) {
  if (code < 0x80) {
    text += static_cast<char>(code);
  } else if (code < 0x800) {
    text += static_cast<char>(0xC0 | (code >> 6));
    text += static_cast<char>(0x80 | (code & 0x3F));
  } else {
    text += static_cast<char>(0xE0 | (code >> 12));
    text += static_cast<char>(0x80 | ((code >> 6) & 0x3F));
    text += static_cast<char>(0x80 | (code & 0x3F));
  }
}

std::string unescaped(const std::string& text) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\\' || i + 1 == text.size()) {
      result += text[i];
      continue;
    }
    const auto hex = [&](std::size_t digits) {
      const unsigned long value = std::strtoul(text.substr(i + 1, digits).c_str(), nullptr, 16);
      i += digits;
      return static_cast<unsigned>(value);
    };
    switch (text[++i]) {
      case 'n': result += '\n'; break;
      case 'r': result += '\r'; break;
      case 't': result += '\t'; break;
      case '0': result += '\0'; break;
      case 'x': result += static_cast<char>(hex(2)); break;
      case 'u': append_utf8(result, hex(4)); break;
      default: result += text[i];
    }
  }
  return result;
}

std::string escaped(const std::string& text) {
  std::string result;
  for (const char c : text) {
    if (c == '\n') {
      result += "\\n";
    } else if (c == '\\') {
      result += "\\\\";
    } else {
      result += c;
    }
  }
  return result;
}

}  // namespace
