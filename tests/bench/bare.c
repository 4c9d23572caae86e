#include <stdio.h>

int main(void) { return puts("ralph") < 0; }
