#include <mpiimpl.h>
