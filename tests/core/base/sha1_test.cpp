#include "core/base/sha1.h"

#include <gtest/gtest.h>

namespace ralph {
namespace {

struct Sha1Vector {
  std::string text, digest;
};

TEST(Sha1, VectorsOfTheStandard) {
  const Sha1Vector vectors[] = {
      {"", "da39a3ee5e6b4b0d3255bfef95601890afd80709"},
      {"abc", "a9993e364706816aba3e25717850c26c9cd0d89d"},
      {"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
       "84983e441c3bd26ebaae4aa1f95129e5e54670f1"},
      {std::string(1'000'000, 'a'), "34aa973cd4c4daa4f61eeb2bdbad27316534016f"},
      {std::string("blob 0\0", 7), "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391"},
  };
  for (const auto& [text, digest] : vectors) EXPECT_EQ(sha1_hex(text), digest) << text.size();
}

TEST(Sha1, PadsEveryLength) {
  // One block more from 56 bytes on.
  EXPECT_EQ(sha1_hex(std::string(55, 'a')), "c1c8bbdc22796e28c0e15163d20899b65621d65a");
  EXPECT_EQ(sha1_hex(std::string(56, 'a')), "c2db330f6083854c99d4b5bfb6e8f29f201be699");
  EXPECT_EQ(sha1_hex(std::string(64, 'a')), "0098ba824b5c16427bd7a1122a5a442a25ec644d");
}

}  // namespace
}  // namespace ralph
