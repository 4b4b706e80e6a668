#include "demos/common_params.h"

#include <stddef.h>

#include "engine/nw.h"

const char *const kernel_names[] = {
    [NW_GAUSSIAN] = "gaussian",         [NW_BOXCAR] = "boxcar",     [NW_TRIANGULAR] = "triangular",
    [NW_EPANECHNIKOV] = "epanechnikov", [NW_CONSTANT] = "constant", NULL,
};
