#pragma once
#include "system/process/plain_list.h"

namespace ralph::process::guard {

/// Empty directories at paths that a program must not create: a mount needs something to lie on. All guards that hold one
/// share a lock on it, and the last removes it; one that was left behind (its guard was killed) is known by its mode
/// and taken over.
class Placeholders {
 public:
  /// Makes one where the path is missing. False with errno: it cannot be made, or the path is a link.
  bool hold(const char* path);
  /// Removes those that no other command holds. One with content stays.
  void release();

 private:
  struct Held {
    const char* path;  // belongs to the caller
    int fd;            // the directory, with a shared lock
  };
  PlainList<Held> held_;
};

}  // namespace ralph::process::guard
