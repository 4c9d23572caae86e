#include "cli/cli.h"

int main(int count, char** words) { return ralph::cli::main({words, words + count}); }
