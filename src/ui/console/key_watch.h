#pragma once
#include <memory>

namespace ralph::cli {

/// While it lives, any key on a terminal is seen at once and not echoed; Ctrl-C still is a signal. The terminal is as it
/// was when this is gone. What is no terminal, or is not ours to read now (we are in the background), is left alone.
class KeyWatch {
 public:
  explicit KeyWatch(int fd);
  ~KeyWatch();
  KeyWatch(const KeyWatch&) = delete;
  KeyWatch& operator=(const KeyWatch&) = delete;

  /// Whether keys are seen at all.
  bool works() const { return before_ != nullptr; }
  /// A key was pressed since the last call; never waits.
  bool pressed();

 private:
  struct Modes;
  int fd_;
  std::unique_ptr<Modes> before_;  // null: nothing was changed
};

}  // namespace ralph::cli
