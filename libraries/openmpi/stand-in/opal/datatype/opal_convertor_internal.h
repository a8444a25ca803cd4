#include <ompi_config.h>
