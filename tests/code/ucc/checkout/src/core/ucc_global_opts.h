#include "ucc/api/ucc.h"
