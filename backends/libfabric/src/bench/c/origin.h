// SPDX-License-Identifier: Apache-2.0
#ifndef ORIGIN_H
#define ORIGIN_H

#include "node.h"

// The side that writes and measures: answers questions until it is told to end.
_Noreturn void origin_serve(struct node *node, enum post post);

#endif
