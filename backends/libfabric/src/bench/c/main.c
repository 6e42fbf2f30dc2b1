// SPDX-License-Identifier: Apache-2.0
// What a program without Java gets out of libfabric: two of these processes, an origin that writes to a target.
//
// both     address                                         answer HEX KEY BASE
// origin   target HEX KEY BASE                             answer
//          run SIZE PARTS OUTSTANDING NANOS                answer OPERATIONS NANOS P50 P99 P99.9
//          ping-pong SIZE NANOS                            the same; latency is there and back
// target   origin HEX KEY BASE                             answer
//          count                                           answer; from now on it spins
//          return SIZE                                     the same, and each write is answered by one
//          counted EXPECTED                                answer COUNT; it spins no more
// both     bye
//
// cc -std=c11 -D_GNU_SOURCE -O2 -o reference *.c -lfabric
#include <stdlib.h>

#include "lines.h"
#include "node.h"
#include "options.h"
#include "origin.h"
#include "target.h"

static struct node node;

static void close_node(void) { node_close(&node); }

int main(int count, char **arguments) {
  struct options options = options_of(count, arguments);
  node_open(&node, &options);
  atexit(close_node);
  uint32_t version = fi_version();
  answer("libfabric %u.%u, provider %s, %s%s", FI_MAJOR(version), FI_MINOR(version), node.info->fabric_attr->prov_name,
         node_has_connection(&node) ? "one connection, " : "",
         node_is_delivery_complete(&node) ? "complete when delivered" : "complete when sent");
  if (options.origin) {
    origin_serve(&node, options.post);
  } else {
    target_serve(&node);
  }
}
