#include <coll_base_util.h> /* the checkout's own */
