#pragma once
// Expat: the XML of Metalink files.
#include <expat.h>
