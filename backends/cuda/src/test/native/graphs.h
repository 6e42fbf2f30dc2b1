// SPDX-License-Identifier: Apache-2.0
// Operations that a stream has captured, to be launched again and again. They run in the order in which they were
// captured, in the stream of the launch.
#ifndef GRAPHS_H
#define GRAPHS_H

#include "operations.h"

// An empty one, to be captured into; NULL if there are too many.
CUgraph graph_create(void);

// Ends one that nobody was given.
void graph_drop(CUgraph graph);

// Adds a copy of an operation, if it is one that can be repeated: none that has bytes or a function of the caller, and
// none of an event, which may belong to another stream.
CUresult graph_add(CUgraph graph, const struct operation *operation);

int64_t graphs_live(void);

void graphs_reset(void);

#endif
