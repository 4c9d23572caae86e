#pragma once
#include <cstddef>
#include <cstdlib>
#include <type_traits>

namespace ralph::process {

/// A growing array of plain values for code that also runs in the guard, which has no C++ runtime.
/// When memory runs out further values are dropped: the sweep's next round finds them again.
template <typename T>
class PlainList {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  PlainList() = default;
  PlainList(const PlainList&) = delete;
  PlainList& operator=(const PlainList&) = delete;
  ~PlainList() { std::free(data_); }

  void push(T value) {
    if (size_ == capacity_ && !grow()) return;
    data_[size_++] = value;
  }
  T pop() { return data_[--size_]; }
  void clear() { size_ = 0; }
  bool empty() const { return size_ == 0; }
  std::size_t size() const { return size_; }
  const T* begin() const { return data_; }
  const T* end() const { return data_ + size_; }

 private:
  bool grow() {
    const std::size_t capacity = capacity_ == 0 ? 64 : capacity_ * 2;
    void* data = std::realloc(data_, capacity * sizeof(T));
    if (data == nullptr) return false;
    data_ = static_cast<T*>(data);
    capacity_ = capacity;
    return true;
  }

  T* data_ = nullptr;
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;
};

}  // namespace ralph::process
