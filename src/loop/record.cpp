#include "loop/record.h"
