// SPDX-License-Identifier: Apache-2.0
// What both sides have: an endpoint, its completions, registered memory, and that of the other side.
#ifndef NODE_H
#define NODE_H

#include <rdma/fabric.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>
#include <stdbool.h>
#include <stdint.h>

#include "options.h"

// Completions that are taken at once.
enum { BATCH = 32 };

struct node {
  struct fi_info *info;
  struct fid_fabric *fabric;
  struct fid_domain *domain;
  struct fid_av *av; // none where there is a connection
  struct fid_eq *events;
  struct fid_pep *listener;
  bool is_connected;
  struct fid_cq *cq;
  struct fid_ep *endpoint;
  struct fid_mr *mr;
  char *memory;
  uint64_t bytes;
  void *descriptor;
  fi_addr_t peer;
  uint64_t peer_key;
  uint64_t peer_base;
};

void node_open(struct node *node, const struct options *options);
void node_close(struct node *node);

// Answers with what the other side must know: address, key, base.
void node_address(const struct node *node);

// Takes that of the other side.
void node_connect(struct node *node, char *rest);

// Whether there is one connection, made by hand, and not one that the provider makes.
bool node_has_connection(const struct node *node);

// Whether a write is complete when it has arrived, not when it has left.
bool node_is_delivery_complete(const struct node *node);

// Takes up to BATCH completions, and lets the provider get on. Fails if one of them failed.
uint32_t node_poll(struct node *node, struct fi_cq_data_entry *entries);

// Fails, unless a call went well.
void check(const char *call, int64_t result);

// Whether this is a write of the other side. Some providers say so of an own one, too, that had an immediate.
static inline bool is_arrival(const struct fi_cq_data_entry *entry) {
  return (entry->flags & (FI_REMOTE_CQ_DATA | FI_WRITE)) == FI_REMOTE_CQ_DATA;
}

#endif
