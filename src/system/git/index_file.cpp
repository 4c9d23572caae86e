#include "system/git/index_file.h"

#include <algorithm>
#include <charconv>
#include <cstdint>

#include "core/base/sha1.h"
#include "core/base/sha256.h"

namespace ralph::git {
namespace {

/// "MODE ID STAGE".
bool read_head(std::string_view text, IndexEntry& entry) {
  const auto mode_end = text.find(' ');
  const auto id_end = mode_end == text.npos ? mode_end : text.find(' ', mode_end + 1);
  if (id_end == text.npos) return false;
  const auto* const begin = text.data();
  std::from_chars(begin, begin + mode_end, entry.mode, 8);
  entry.id = text.substr(mode_end + 1, id_end - mode_end - 1);
  std::from_chars(begin + id_end + 1, begin + text.size(), entry.stage);
  return (entry.id.size() == kSha1Digits || entry.id.size() == 64) && entry.stage <= 3;
}

void add_number(std::string& out, std::uint64_t value, int bytes) {
  for (int shift = (bytes - 1) * 8; shift >= 0; shift -= 8) {
    out += static_cast<char>((value >> shift) & 0xFF);
  }
}

void add_hex(std::string& out, std::string_view hex) {
  for (std::size_t at = 0; at + 1 < hex.size(); at += 2) {
    unsigned byte = 0;
    std::from_chars(hex.data() + at, hex.data() + at + 2, byte, 16);
    out += static_cast<char>(byte);
  }
}

/// 32 bits of each. Git reads a file whose size is zero here and that is not empty.
void add_stat(std::string& out, const IndexEntry& entry, const std::optional<struct stat>& found) {
  const struct stat none{};
  const auto& info = found ? *found : none;
  for (const auto& time : {info.st_ctim, info.st_mtim}) {
    add_number(out, static_cast<std::uint64_t>(time.tv_sec), 4);
    add_number(out, static_cast<std::uint64_t>(time.tv_nsec), 4);
  }
  add_number(out, info.st_dev, 4);
  add_number(out, info.st_ino, 4);
  add_number(out, entry.mode, 4);
  add_number(out, info.st_uid, 4);
  add_number(out, info.st_gid, 4);
  add_number(out, static_cast<std::uint64_t>(info.st_size), 4);
}

void add_entry(std::string& out, const IndexEntry& entry, const std::optional<struct stat>& found) {
  constexpr std::size_t kLongestName = 0xFFF;
  const auto begin = out.size();
  const bool extended = entry.skipped || entry.intended;
  add_stat(out, entry, found);
  add_hex(out, entry.id);
  add_number(out,
             (entry.assumed ? 0x8000U : 0U) | (extended ? 0x4000U : 0U) | (entry.stage << 12U) |
                 std::min(entry.path.size(), kLongestName),
             2);
  if (extended) {
    add_number(out, (entry.skipped ? 0x4000U : 0U) | (entry.intended ? 0x2000U : 0U), 2);
  }
  out += entry.path;
  out.append(8 - (out.size() - begin) % 8, '\0');
}

}  // namespace

/// Each: "MODE ID STAGE TAB PATH", NUL, then lines of stat data, the last of which ends with the flags.
Result<std::vector<IndexEntry>> parse_index_listing(std::string_view text) {
  constexpr std::string_view kFlags = "flags: ";
  constexpr unsigned kAssumed = 0x8000, kSkipped = 1U << 30, kIntended = 1U << 29;
  std::vector<IndexEntry> entries;
  while (!text.empty()) {
    const auto end = text.find('\0');
    const auto tab = text.find('\t');
    const auto at = end == text.npos ? end : text.find(kFlags, end);
    const auto line_end = at == text.npos ? at : text.find('\n', at);
    IndexEntry entry;
    if (line_end == text.npos || tab > end || !read_head(text.substr(0, tab), entry)) {
      return fail(Code::malformed, "cannot parse git's index listing",
                  "check that 'git' in PATH is git 2.31 or newer");
    }
    entry.path = text.substr(tab + 1, end - tab - 1);
    unsigned flags = 0;
    std::from_chars(text.data() + at + kFlags.size(), text.data() + line_end, flags, 16);
    entry.assumed = (flags & kAssumed) != 0;
    entry.skipped = (flags & kSkipped) != 0;
    entry.intended = (flags & kIntended) != 0;
    entries.push_back(std::move(entry));
    text.remove_prefix(line_end + 1);
  }
  return entries;
}

std::string index_bytes(const std::vector<IndexEntry>& entries,
                        const std::vector<std::optional<struct stat>>& stats) {
  const bool extended = std::ranges::any_of(
      entries, [](const IndexEntry& entry) { return entry.skipped || entry.intended; });
  std::string out = "DIRC";
  add_number(out, extended ? 3 : 2, 4);
  add_number(out, entries.size(), 4);
  for (std::size_t i = 0; i < entries.size(); ++i) add_entry(out, entries[i], stats[i]);
  const bool sha1 = entries.empty() || entries.front().id.size() == kSha1Digits;
  add_hex(out, sha1 ? sha1_hex(out) : sha256_hex(out));
  return out;
}

}  // namespace ralph::git
