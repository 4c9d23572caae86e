#pragma once
#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include <linux/filter.h>

namespace ralph::process {

/// Instructions of a seccomp program, in the order in which they run.
class FilterCode {
 public:
  void add(unsigned short code, unsigned value, unsigned char yes = 0, unsigned char no = 0);
  /// Loads a word of seccomp_data.
  void load(std::size_t offset);
  /// Loads the lower half of a call's argument; the architectures we have tables for are little-endian.
  void load_argument(std::size_t index);
  void give(unsigned action);
  void refuse(int error);
  void allow();
  void refuse_if(unsigned value, int error);
  void allow_if(unsigned value);
  void append(const FilterCode& other);

  const std::vector<sock_filter>& instructions() const { return code_; }
  bool operator==(const FilterCode& other) const;

 private:
  std::vector<sock_filter> code_;
};

/// The code of each call that is not simply allowed; each ends with a return.
using FilteredCalls = std::map<unsigned, FilterCode>;

/// The program as the kernel takes it. `start` leaves the call's number loaded; a search tree finds its code. The
/// kernel translates the program for every command and runs it once for every call there is, so it is kept short.
std::string assemble(const FilterCode& start, const FilteredCalls& calls);

}  // namespace ralph::process
