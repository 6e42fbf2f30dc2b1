// SPDX-License-Identifier: Apache-2.0
// One connection between the two sides, for providers whose endpoints do not make it by themselves.
#ifndef CONNECTION_H
#define CONNECTION_H

#include "node.h"

// Opens a queue of events, and, at the target, where the origin connects to.
void connection_open(struct node *node, bool origin);
void connection_close(struct node *node);

// Connects to an address and waits for that, up to ten seconds.
void connection_make(struct node *node, const void *address);

// Takes the connection when it comes; does not wait.
void connection_poll(struct node *node);

#endif
