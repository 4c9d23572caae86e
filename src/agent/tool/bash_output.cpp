#include "agent/tool/bash_output.h"

#include <algorithm>
#include <utility>

#include "core/base/utf8.h"

namespace ralph::tool {
namespace {

constexpr std::size_t kLongestCharacter = 4;
constexpr std::size_t kTail = std::size_t{64} << 10;

std::string as_text(std::string_view bytes) {
  if (bytes.find('\0') == std::string_view::npos) return utf8::repaired(bytes);
  std::string text(bytes);
  std::ranges::replace(text, '\0', '\xff');  // also invalid UTF-8
  return utf8::repaired(text);
}

void cut_line_ends(std::string& text) { text.erase(text.find_last_not_of('\n') + 1); }

std::string_view first_characters(std::string_view text, std::size_t count) {
  std::size_t at = 0;
  for (; at < text.size(); ++at) {
    const bool starts = (static_cast<unsigned char>(text[at]) & 0xc0) != 0x80;
    if (starts && count-- == 0) break;
  }
  return text.substr(0, at);
}

}  // namespace

BashOutput::BashOutput(std::filesystem::path file, std::size_t shown)
    : path_(std::move(file)), shown_(shown) {}

void BashOutput::append(std::string_view bytes) {
  const std::lock_guard lock(mutex_);
  size_ += bytes.size();
  const auto room = shown_ * kLongestCharacter - std::min(head_.size(), shown_ * kLongestCharacter);
  const auto first = bytes.substr(0, room);
  head_ += first;
  tail_ += bytes.substr(bytes.size() - std::min(bytes.size(), kTail));
  if (tail_.size() > 2 * kTail) tail_.erase(0, tail_.size() - kTail);
  if (file_) {
    if (!error_) record_error(file_->write(bytes));
  } else if (first.size() < bytes.size() && !error_) {
    start_file();
    if (file_ && !error_) record_error(file_->write(bytes.substr(first.size())));
  }
}

void BashOutput::start_file() {
  auto file = BoundedFile::create(path_);
  if (!file) {
    error_ = std::move(file).error();
    return;
  }
  file_ = *std::move(file);
  record_error(file_->write(head_));
}

void BashOutput::record_error(Result<> done) {
  if (!done && !error_) error_ = std::move(done).error();
}

Result<> BashOutput::move_to(const std::filesystem::path& file) {
  const std::lock_guard lock(mutex_);
  path_ = file;
  if (file_) return file_->rename(file);
  if (!error_) start_file();
  if (error_) return std::unexpected(*error_);
  return {};
}

void BashOutput::finish() {
  const std::lock_guard lock(mutex_);
  if (!file_ && !error_ && size_ > shown_) start_file();
  if (file_ && !error_) record_error(file_->finish());
}

void BashOutput::keep() {
  const std::lock_guard lock(mutex_);
  if (file_ || error_) return;
  start_file();
  if (!error_) record_error(file_->finish());
}

std::optional<std::string> BashOutput::whole() const {
  const std::lock_guard lock(mutex_);
  if (size_ > shown_) return std::nullopt;
  auto text = as_text(head_);
  cut_line_ends(text);
  return text;
}

std::string BashOutput::beginning(std::size_t characters) const {
  const std::lock_guard lock(mutex_);
  const auto text = as_text(std::string_view(head_).substr(0, characters * kLongestCharacter));
  return std::string(first_characters(text, characters));
}

std::string BashOutput::end(std::size_t bytes) const {
  const std::lock_guard lock(mutex_);
  std::string_view rest = tail_;
  rest.remove_prefix(rest.size() - std::min(bytes, rest.size()));
  for (std::size_t i = 0; i < kLongestCharacter - 1 && rest.size() < size_ && !rest.empty() &&
                          (static_cast<unsigned char>(rest[0]) & 0xc0) == 0x80;
       ++i) {
    rest.remove_prefix(1);
  }
  auto text = as_text(rest);
  cut_line_ends(text);
  return text;
}

std::uint64_t BashOutput::size() const {
  const std::lock_guard lock(mutex_);
  return size_;
}

std::optional<BashOutput::Kept> BashOutput::kept() const {
  const std::lock_guard lock(mutex_);
  if (!file_) return std::nullopt;
  return Kept{file_->path(), file_->size(), file_->dropped()};
}

std::optional<Error> BashOutput::error() const {
  const std::lock_guard lock(mutex_);
  return error_;
}

}  // namespace ralph::tool
