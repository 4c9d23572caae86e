#pragma once

namespace ralph::process::guard {

/// The program's own mount namespace, made in the vfork child: only system calls. Each function returns false with errno.
/// A namespace whose changes no other process sees; without the right to make one, in a user namespace that maps only us.
bool enter_mount_namespace();
/// A copy of the mounts at and below a path, not yet anywhere. -1 with errno.
int copy_mounts(const char* path);
/// The same, where only read.
int copy_mounts_read_only(const char* path);
/// Everything becomes read-only.
bool make_all_read_only();
/// Puts a copy over a path; closes it.
bool put_mounts(int tree, const char* path);

/// Covers paths so that they cannot be opened: files by a socket, directories by an empty directory.
class Cover {
 public:
  Cover() = default;
  Cover(const Cover&) = delete;
  Cover& operator=(const Cover&) = delete;
  ~Cover();
  /// `folder` is covered itself from here on.
  bool begin(const char* folder);
  bool hide(const char* path) const;

 private:
  int nodes_ = -1;
};

}  // namespace ralph::process::guard
