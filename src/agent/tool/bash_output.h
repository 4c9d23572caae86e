#pragma once
#include <cstdint>
#include <filesystem>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "agent/tool/kept_file.h"
#include "core/base/result.h"

namespace ralph::tool {

/// What a command prints. Its beginning and its end are in memory, all of it (see KeptFile) goes to a file
/// as soon as it is too much to be shown. Written by one thread, looked at by others.
class BashOutput {
 public:
  /// `shown`: the most bytes that are shown whole. `file`: where more goes.
  BashOutput(std::filesystem::path file, std::size_t shown);

  void append(std::string_view bytes);
  /// From here on all of it goes to this file, what has come as well.
  Result<> move_to(const std::filesystem::path& file);
  /// Nothing more comes.
  void finish();
  /// All of it goes to the file, however short it is. Nothing more comes.
  void keep();

  /// As text: invalid UTF-8 became U+FFFD, NUL too; the last line ends are cut. All of it, or nullopt: it is
  /// too much.
  std::optional<std::string> whole() const;
  /// The first characters, the last bytes.
  std::string beginning(std::size_t characters) const;
  std::string end(std::size_t bytes) const;

  /// Bytes printed.
  std::uint64_t size() const;
  struct Kept {
    std::filesystem::path path;
    std::uint64_t size = 0;
    std::uint64_t dropped = 0;
  };
  /// The file, if there is one.
  std::optional<Kept> kept() const;
  /// Why there is no file, or not all in it.
  std::optional<Error> error() const;

 private:
  void start_file();
  void note(Result<> done);

  mutable std::mutex mutex_;
  std::filesystem::path path_;
  std::size_t shown_;
  std::uint64_t size_ = 0;
  std::string head_;  // all of it until there is a file
  std::string tail_;
  std::optional<KeptFile> file_;
  std::optional<Error> error_;
};

}  // namespace ralph::tool
