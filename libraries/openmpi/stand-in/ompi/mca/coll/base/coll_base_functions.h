#include <coll_base_functions.h> /* the checkout's own */
