#include <coll_tags.h> /* the checkout's own */
