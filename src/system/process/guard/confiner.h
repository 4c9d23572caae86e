#pragma once
#include <cstddef>

#include <linux/filter.h>

#include "system/process/guard/placeholders.h"
#include "system/process/guard/protocol.h"
#include "system/process/guard/rules.h"

namespace ralph::process::guard {

/// What went wrong, for the report.
struct ConfineError {
  ConfinePart part{};
  int error = 0;  // 0: nothing
  const char* path = "";
};

/// Applies the rules of a Confinement. All that can be prepared is prepared in the guard; the vfork child makes only
/// system calls.
class Confiner {
 public:
  /// Reads the rules; closes the descriptor.
  ConfineError load(int fd);
  /// Placeholders, the Landlock ruleset and the seccomp filter.
  ConfineError prepare();
  /// In the vfork child, before it changes to its working directory.
  ConfineError enter_mounts() const;
  /// In the vfork child, as its last step before exec.
  ConfineError enter() const;
  /// When the last process has ended: placeholders and the scratch directory are removed.
  void clean_up();

  bool active() const { return bytes_ != nullptr; }

 private:
  struct Rule {
    RuleHeader header;
    const char* bytes;
  };
  template <typename Function>
  ConfineError each(RuleKind kind, Function function) const;
  bool next(std::size_t& at, Rule& rule) const;

  ConfineError prepare_scratch();
  ConfineError prepare_placeholders();
  ConfineError prepare_mounts();
  ConfineError prepare_landlock();
  ConfineError prepare_filter();
  ConfineError pass_filter();
  ConfineError copy_writable() const;
  ConfineError put_writable(bool scratch) const;
  ConfineError fix_folders() const;
  ConfineError cover_hidden() const;
  ConfineError drop_capabilities() const;

  char* bytes_ = nullptr;
  std::size_t size_ = 0;
  Placeholders placeholders_;
  const char* scratch_ = nullptr;
  struct Copy {
    const char* path;
    int tree;  // made by the child
  };
  Copy* copies_ = nullptr;  // of the writable paths
  std::size_t copy_count_ = 0;
  bool own_mounts_ = false;
  bool new_keyring_ = false;
  int ruleset_ = -1;
  sock_fprog filter_{};
  unsigned long long kept_ = 0;
};

}  // namespace ralph::process::guard
