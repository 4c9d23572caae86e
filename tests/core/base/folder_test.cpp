#include "core/base/folder.h"

#include <fcntl.h>
#include <gtest/gtest.h>

#include "support/temp_folder.h"

namespace ralph {
namespace {

namespace fs = std::filesystem;
using test::TempFolder;
using test::text_of;

TEST(Folder, IsReachedBySingleNamesOnly) {
  const TempFolder temp;
  temp.write("sub/file", "text");
  const auto folder = *Folder::open(temp / "sub");
  EXPECT_EQ(folder.read("file", 100), "text");
  for (const auto* name : {"", ".", "..", "../sub/file", "/etc/passwd", "a/b"}) {
    EXPECT_EQ(folder.read(name, 100).error().code, Code::malformed) << name;
    EXPECT_EQ(folder.create(name).error().code, Code::malformed) << name;
    EXPECT_EQ(folder.write_atomically(name, "x").error().code, Code::malformed) << name;
    EXPECT_EQ(folder.rename("file", name).error().code, Code::malformed) << name;
    EXPECT_EQ(folder.remove(name).error().code, Code::malformed) << name;
    EXPECT_EQ(folder.open_folder(name).error().code, Code::malformed) << name;
    folder.remove_all(name);
  }
  EXPECT_EQ(text_of(temp / "sub/file"), "text");
}

TEST(Folder, WhatIsMissingTooLargeOrThereAlreadyIsToldApart) {
  const TempFolder temp;
  temp.write("file", "0123456789");
  const auto folder = *Folder::open(temp.path());
  EXPECT_EQ(folder.read("missing", 100).error().code, Code::not_found);
  EXPECT_EQ(folder.open_folder("missing").error().code, Code::not_found);
  EXPECT_EQ(Folder::open(temp / "missing").error().code, Code::not_found);
  EXPECT_EQ(folder.read("file", 9).error().code, Code::limit);
  EXPECT_EQ(folder.read("file", 10), "0123456789");
  EXPECT_EQ(folder.create("file").error().code, Code::busy);
  temp.write("other", "x");
  EXPECT_EQ(folder.rename("file", "other").error().code, Code::busy);
  EXPECT_EQ(folder.rename("missing", "new").error().code, Code::not_found);
  EXPECT_TRUE(folder.remove("missing"));
}

TEST(Folder, AWriteReplacesTheNameAndNotWhatItLeadsTo) {
  const TempFolder temp;
  temp.write("precious", "text");
  fs::create_directory(temp / "sub");
  const auto folder = *Folder::open(temp / "sub");
  fs::create_symlink(temp / "precious", temp / "sub/link");
  fs::create_hard_link(temp / "precious", temp / "sub/hard");
  for (const auto* name : {"link", "hard", "new"}) {
    ASSERT_TRUE(folder.write_atomically(name, "mine")) << name;
    EXPECT_EQ(folder.read(name, 100), "mine") << name;
    EXPECT_EQ(test::mode_of(temp / "sub" / name), 0600u) << name;
  }
  EXPECT_EQ(text_of(temp / "precious"), "text");
  fs::create_directory(temp / "sub/folder");
  const auto refused = folder.write_atomically("folder", "x");
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().hint, "");
  EXPECT_EQ(folder.names(100)->size(), 4u) << "no temp file is left";
}

TEST(Folder, OneThatWasRemovedIsRecognised) {
  const TempFolder temp;
  fs::create_directory(temp / "sub");
  const auto folder = *Folder::open(temp / "sub");
  fs::remove(temp / "sub");
  EXPECT_EQ(folder.create("file").error().code, Code::not_found);
  EXPECT_EQ(folder.open_append("file").error().code, Code::not_found);
  EXPECT_EQ(folder.write_atomically("file", "x").error().code, Code::not_found);
}

TEST(Folder, AnExistingOneIsClosedToOthersAndKeepsWhatItsOwnerMay) {
  const TempFolder temp;
  fs::create_directory(temp / "sub");
  ::chmod((temp / "sub").c_str(), 0755);
  ASSERT_TRUE(Folder::make(temp / "sub"));
  EXPECT_EQ(test::mode_of(temp / "sub"), 0700u);
}

}  // namespace
}  // namespace ralph
