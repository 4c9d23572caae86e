#include "agent/permission/git_index.h"

#include <cstdint>

namespace ralph::permission {
namespace {

constexpr std::size_t kHeader = 12;
constexpr std::size_t kHash = 20;
constexpr std::size_t kEntryMode = 24;  // offset in an entry
constexpr std::size_t kEntryFlags = 40 + kHash;
constexpr std::uint32_t kSubmodule = 0160000;
constexpr std::uint32_t kExtended = 0x4000;
/// The limit for the bytes of all paths: version 4 compresses long names to a few bytes.
constexpr std::size_t kMostKept = std::size_t{32} << 20;

class IndexReader {
 public:
  explicit IndexReader(std::string_view index) : all_(index) {}

  std::optional<IndexPaths> run() {
    if (all_.size() < kHeader + kHash || !all_.starts_with("DIRC")) return std::nullopt;
    version_ = number(4, 4);
    if (version_ < 2 || version_ > 4) return std::nullopt;
    at_ = kHeader;
    for (auto left = number(8, 4); left > 0; --left) {
      if (!read_entry()) return std::nullopt;
    }
    if (!extensions_are_plain()) return std::nullopt;
    return std::move(found_);
  }

 private:
  std::uint32_t number(std::size_t at, std::size_t bytes) const {
    std::uint32_t value = 0;
    for (std::size_t i = 0; i < bytes; ++i)
      value = (value << 8) | static_cast<unsigned char>(all_[at + i]);
    return value;
  }

  bool read_entry() {
    const auto begin = at_;
    if (all_.size() - begin < kEntryFlags + 4) return false;
    const bool is_submodule = number(begin + kEntryMode, 4) == kSubmodule;
    at_ = begin + kEntryFlags + ((number(begin + kEntryFlags, 2) & kExtended) != 0 ? 4 : 2);
    if (version_ == 4 && !drop_end_of_name()) return false;
    const auto end = all_.find('\0', at_);
    if (end == std::string_view::npos) return false;
    if (version_ < 4) name_.clear();
    name_ += all_.substr(at_, end - at_);
    at_ = version_ == 4 ? end + 1 : begin + ((end - begin) / 8 + 1) * 8;
    if (is_submodule) add(name_, found_.submodules);
    if (const auto slash = name_.rfind('/'); slash != std::string::npos)
      add(std::string_view(name_).substr(0, slash), found_.folders);
    return at_ <= all_.size() && kept_ <= kMostKept;
  }

  /// Names are sorted, so those of one directory mostly follow each other.
  void add(std::string_view path, std::vector<std::string>& paths) {
    if (!paths.empty() && paths.back() == path) return;
    kept_ += path.size();
    if (kept_ <= kMostKept) paths.emplace_back(path);
  }

  /// In version 4 an entry says how many bytes to drop from the end of the previous name.
  bool drop_end_of_name() {
    std::size_t dropped = 0;
    for (bool first = true, more = true; more; first = false, ++at_) {
      if (at_ >= all_.size() || dropped > all_.size()) return false;
      const auto byte = static_cast<unsigned char>(all_[at_]);
      dropped = first ? byte & 0x7FU : ((dropped + 1) << 7) | (byte & 0x7FU);
      more = (byte & 0x80U) != 0;
    }
    if (dropped > name_.size()) return false;
    name_.resize(name_.size() - dropped);
    return true;
  }

  /// The extension "link" means that further entries are in another file.
  bool extensions_are_plain() const {
    for (auto at = at_; at + kHash < all_.size();) {
      if (at + 8 + kHash > all_.size() || all_.substr(at, 4) == "link") return false;
      at += 8 + std::size_t{number(at + 4, 4)};
    }
    return true;
  }

  std::string_view all_;
  std::size_t at_ = 0;
  std::uint32_t version_ = 0;
  std::string name_;
  std::size_t kept_ = 0;
  IndexPaths found_;
};

}  // namespace

std::optional<IndexPaths> index_paths(std::string_view index) { return IndexReader(index).run(); }

}  // namespace ralph::permission
