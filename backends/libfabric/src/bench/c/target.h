// SPDX-License-Identifier: Apache-2.0
#ifndef TARGET_H
#define TARGET_H

#include "node.h"

// The side that is written to, and counts: answers questions until it is told to end.
_Noreturn void target_serve(struct node *node);

#endif
