#include "system/git/tree_writer.h"

#include <algorithm>
#include <cstdint>
#include <vector>

#include <fmt/core.h>

#include "core/base/file.h"
#include "core/base/folder.h"
#include "core/base/sha1.h"

namespace ralph::git {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kIdBytes = 20;
constexpr std::size_t kHeader = 12, kFixedPart = 62;
constexpr unsigned kLongName = 0xFFF, kStages = 0x3000, kExtended = 0x4000, kIntentToAdd = 0x2000;

std::uint32_t number_at(std::string_view bytes, std::size_t at, std::size_t size) {
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < size; ++i) {
    value = value << 8 | static_cast<unsigned char>(bytes[at + i]);
  }
  return value;
}

/// An entry of an index file or of a tree; the views point into the file.
struct IndexRecord {
  std::uint32_t mode = 0;
  std::string id;  // 20 bytes
  std::string_view path;
};

/// Reads versions 2 and 3. nullopt: something else.
class IndexReader {
 public:
  explicit IndexReader(std::string_view bytes) : bytes_(bytes) {}

  std::optional<std::vector<IndexRecord>> read() {
    if (bytes_.size() < kHeader + kIdBytes || !bytes_.starts_with("DIRC")) return std::nullopt;
    const auto version = number_at(bytes_, 4, 4), count = number_at(bytes_, 8, 4);
    if (version != 2 && version != 3) return std::nullopt;
    bytes_.remove_suffix(kIdBytes);  // the checksum
    at_ = kHeader;
    std::vector<IndexRecord> entries;
    for (std::uint32_t i = 0; i < count; ++i) {
      if (!read_entry(entries)) return std::nullopt;
    }
    // The entries of a split index are in another file.
    const bool is_split = bytes_.substr(at_).contains("link");
    return is_split ? std::nullopt : std::optional(std::move(entries));
  }

 private:
  bool read_entry(std::vector<IndexRecord>& entries) {
    if (at_ + kFixedPart > bytes_.size()) return false;
    const auto flags = number_at(bytes_, at_ + 60, 2);
    if ((flags & kStages) != 0) return false;
    const bool extended = (flags & kExtended) != 0;
    const auto start = at_ + kFixedPart + (extended ? 2 : 0);
    const auto end = bytes_.find('\0', start);
    if (end == bytes_.npos || end == start) return false;
    const bool intended = extended && (number_at(bytes_, at_ + kFixedPart, 2) & kIntentToAdd) != 0;
    const auto path = bytes_.substr(start, end - start);
    if ((flags & kLongName) != std::min<std::size_t>(path.size(), kLongName)) return false;
    if (!intended) {
      entries.push_back(
          {number_at(bytes_, at_ + 24, 4), std::string(bytes_.substr(at_ + 40, kIdBytes)), path});
    }
    at_ += (end - at_ + 8) & ~std::size_t{7};  // padded to 8 bytes, with at least one NUL
    return at_ <= bytes_.size();
  }

  std::string_view bytes_;
  std::size_t at_ = 0;
};

std::string id_bytes(std::string_view hex) {
  const auto digit = [](char c) { return c <= '9' ? c - '0' : c - 'a' + 10; };
  std::string bytes;
  for (std::size_t i = 0; i + 1 < hex.size(); i += 2) {
    bytes += static_cast<char>(digit(hex[i]) << 4 | digit(hex[i + 1]));
  }
  return bytes;
}

/// A zlib stream that is not compressed.
std::string stored(std::string_view bytes) {
  constexpr std::size_t kMostBlock = 65'535;
  constexpr std::uint32_t kAdler = 65'521;
  std::string out = "\x78\x01";
  std::uint32_t a = 1, b = 0;
  for (const unsigned char c : bytes) {
    a = (a + c) % kAdler;
    b = (b + a) % kAdler;
  }
  do {
    const auto block = bytes.substr(0, kMostBlock);
    bytes.remove_prefix(block.size());
    const auto size = static_cast<unsigned>(block.size());
    out += bytes.empty() ? '\x01' : '\0';
    for (const unsigned half : {size & 0xFF, size >> 8, ~size & 0xFF, (~size >> 8) & 0xFF}) {
      out += static_cast<char>(half);
    }
    out += block;
  } while (!bytes.empty());
  for (const int shift : {8, 0}) out += static_cast<char>(b >> shift & 0xFF);
  for (const int shift : {8, 0}) out += static_cast<char>(a >> shift & 0xFF);
  return out;
}

/// Not synced: as git writes loose objects by default, but renamed when complete.
Result<std::string> write_object(const fs::path& objects, std::string_view kind,
                                 std::string_view content) {
  auto object = fmt::format("{} {}", kind, content.size());
  object += '\0';
  object += content;
  auto id = sha1_hex(object);
  std::error_code error;
  if (fs::exists(objects / id.substr(0, 2) / id.substr(2), error)) return id;
  TRY_ASSIGN(const auto above, Folder::open(objects));
  TRY_ASSIGN(const auto folder, above.make_folder(id.substr(0, 2)));
  const auto draft = "tmp_obj_" + id.substr(2);
  TRY(folder.remove(draft));
  TRY_ASSIGN(const auto file, folder.create(draft));
  TRY(write_all(file.get(), stored(object), folder.path_of(draft).native()));
  TRY(folder.rename(draft, id.substr(2)));
  return id;
}

/// One directory after the other, deepest first. The order of an index is the order of trees.
class TreeWriter {
 public:
  TreeWriter(const std::vector<IndexRecord>& entries, const fs::path& objects)
      : entries_(entries), objects_(objects) {}

  /// Of the entries from next_ on whose path begins with `prefix`.
  Result<std::string> write(std::string_view prefix) {
    std::string tree;
    while (next_ < entries_.size() && entries_[next_].path.starts_with(prefix)) {
      const auto& entry = entries_[next_];
      const auto rest = entry.path.substr(prefix.size());
      const auto name = rest.substr(0, rest.find('/'));
      if (name.size() == rest.size()) {
        add(tree, entry.mode, name, entry.id);
        ++next_;
        continue;
      }
      TRY_ASSIGN(const auto id, write(entry.path.substr(0, prefix.size() + name.size() + 1)));
      add(tree, 040000, name, id_bytes(id));
    }
    return write_object(objects_, "tree", tree);
  }

 private:
  static void add(std::string& tree, std::uint32_t mode, std::string_view name,
                  std::string_view id) {
    tree += fmt::format("{:o} {}", mode, name);
    tree += '\0';
    tree += id;
  }

  const std::vector<IndexRecord>& entries_;
  const fs::path& objects_;
  std::size_t next_ = 0;
};

}  // namespace

Result<std::optional<std::string>> write_tree(std::string_view index, const fs::path& objects) {
  const auto entries = IndexReader(index).read();
  if (!entries) return std::nullopt;
  TRY_ASSIGN(auto id, TreeWriter(*entries, objects).write(""));
  return std::optional(std::move(id));
}

}  // namespace ralph::git
