#include "core/base/result.h"

#include <cerrno>
#include <memory>

#include <gtest/gtest.h>

namespace ralph {
namespace {

Result<int> half(int number) {
  if (number % 2 != 0) return fail(Code::usage, "odd", "give an even number");
  return number / 2;
}

Result<int> quarter(int number) {
  TRY_ASSIGN(const int first, half(number));
  TRY_ASSIGN(const int second, half(first));
  return second;
}

Result<> check(int number) {
  TRY(half(number));
  return {};
}

TEST(Result, TryHandsOnTheError) {
  EXPECT_TRUE(check(2));
  ASSERT_FALSE(check(3));
  EXPECT_EQ(check(3).error(), (Error{Code::usage, "odd", "give an even number"}));
}

TEST(Result, TryAssignTakesTheValueOrHandsOnTheError) {
  EXPECT_EQ(quarter(12), 3);
  EXPECT_FALSE(quarter(2));
}

Result<std::unique_ptr<int>> boxed_half(int number) {
  TRY_ASSIGN(const int value, half(number));
  return std::make_unique<int>(value);
}

Result<int> unboxed_half(int number) {
  TRY_ASSIGN(const auto box, boxed_half(number));
  return *box;
}

TEST(Result, TryAssignMovesWhatCannotBeCopied) {
  EXPECT_EQ(unboxed_half(14), 7);
  EXPECT_FALSE(unboxed_half(7));
}

TEST(Result, DescribesWithAndWithoutAHint) {
  EXPECT_EQ(describe({Code::usage, "no prompt given", ""}), "no prompt given");
  EXPECT_EQ(describe({Code::usage, "no prompt given", "use -p"}), "no prompt given (use -p)");
}

TEST(Result, EveryCodeHasItsOwnName) {
  EXPECT_EQ(to_string(Code::usage), "usage");
  EXPECT_EQ(to_string(Code::not_found), "not_found");
  EXPECT_EQ(to_string(Code::malformed), "malformed");
  EXPECT_EQ(to_string(Code::busy), "busy");
}

TEST(Result, ErrnoBecomesCodeAndMessage) {
  const struct {
    int error_number;
    Code code;
  } table[] = {{ENOENT, Code::not_found}, {ENOTDIR, Code::not_found}, {EACCES, Code::permission},
               {EROFS, Code::disk_full},  {ENOSPC, Code::disk_full},  {EDQUOT, Code::disk_full},
               {EIO, Code::storage},      {E2BIG, Code::limit},       {EMFILE, Code::unavailable},
               {EINVAL, Code::usage},     {ENOTTY, Code::storage}};
  for (const auto& row : table) {
    EXPECT_EQ(fail_errno(row.error_number, "x").error().code, row.code) << row.error_number;
  }
  const Error error = fail_errno(ENOENT, "cannot open 'a'", "create it").error();
  EXPECT_EQ(error.message, "cannot open 'a': No such file or directory");
  EXPECT_EQ(error.hint, "create it");
}

TEST(Result, AFullDiskStaysOneWhenItIsAStorageError) {
  EXPECT_EQ(as_storage(fail_errno(ENOSPC, "x").error()).code, Code::disk_full);
  EXPECT_EQ(as_storage({Code::permission, "'No space left on device' is gone", ""}).code,
            Code::storage);
}

}  // namespace
}  // namespace ralph
