#pragma once
#include <memory>

namespace ralph::console {

/// Switches a terminal to unbuffered input without echo during its lifetime; Ctrl-C still sends SIGINT. Does nothing if
/// `fd` is not a terminal or we are in the background.
class KeyWatch {
 public:
  explicit KeyWatch(int fd);
  ~KeyWatch();
  KeyWatch(const KeyWatch&) = delete;
  KeyWatch& operator=(const KeyWatch&) = delete;

  /// Whether the terminal was switched.
  bool works() const { return before_ != nullptr; }
  /// Whether a key was pressed since the last call; never blocks.
  bool pressed();

 private:
  struct Modes;
  int fd_;
  std::unique_ptr<Modes> before_;  // null: nothing was changed
};

}  // namespace ralph::console
