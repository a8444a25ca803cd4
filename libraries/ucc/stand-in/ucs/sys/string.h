#include "ucs.h"
