// SPDX-License-Identifier: Apache-2.0
#include "writes.h"

#include <rdma/fi_errno.h>
#include <rdma/fi_rma.h>
#include <stdlib.h>

#include "lines.h"

static const uint64_t IMMEDIATE = 1;

void writes_open(struct writes *writes, struct node *node, enum post post, uint32_t capacity) {
  *writes = (struct writes){.node = node, .post = post, .capacity = capacity, .free_count = capacity};
  writes->flags = FI_COMPLETION | (node_is_delivery_complete(node) ? FI_DELIVERY_COMPLETE : 0) |
                  (post == POST_WRITE ? 0 : FI_REMOTE_CQ_DATA);
  writes->all = calloc(capacity, sizeof *writes->all);
  writes->free = calloc(capacity, sizeof *writes->free);
  if (!writes->all || !writes->free) {
    fail("no memory for %u writes in flight", capacity);
  }
  for (uint32_t i = 0; i < capacity; i++) {
    writes->free[i] = &writes->all[i];
  }
}

void writes_close(struct writes *writes) {
  free(writes->free);
  free(writes->all);
}

// By fi_writemsg, with all flags: that an endpoint was opened with FI_DELIVERY_COMPLETE means nothing to fi_writedata of
// tcp in 1.17. Short ones are copied by the call, as ours are.
static ssize_t post_message(struct writes *writes, struct write *write, uint64_t offset, uint64_t length, bool more) {
  struct node *node = writes->node;
  struct iovec from = {.iov_base = node->memory + offset, .iov_len = length};
  struct fi_rma_iov to = {.addr = node->peer_base + offset, .len = length, .key = node->peer_key};
  struct fi_msg_rma message = {
      .msg_iov = &from,
      .desc = &node->descriptor,
      .iov_count = 1,
      .addr = node->peer,
      .rma_iov = &to,
      .rma_iov_count = 1,
      .context = write,
      .data = IMMEDIATE,
  };
  uint64_t flags = writes->flags | (length <= node->info->tx_attr->inject_size ? FI_INJECT : 0) | (more ? FI_MORE : 0);
  return fi_writemsg(node->endpoint, &message, flags);
}

static ssize_t post(struct writes *writes, struct write *write, uint64_t offset, uint64_t length, bool more) {
  struct node *node = writes->node;
  const char *from = node->memory + offset;
  uint64_t to = node->peer_base + offset;
  switch (writes->post) {
  case POST_WRITEDATA:
  case POST_WRITE:
    return post_message(writes, write, offset, length, false);
  case POST_MORE:
    return post_message(writes, write, offset, length, more);
  case POST_INJECT:
    return fi_inject_writedata(node->endpoint, from, length, IMMEDIATE, node->peer, to, node->peer_key);
  }
  return -FI_EINVAL;
}

enum posted writes_post(struct writes *writes, struct operation *operation, uint64_t offset, uint64_t length,
                        bool more) {
  if (writes->free_count == 0) {
    return NO_ROOM;
  }
  struct write *write = writes->free[writes->free_count - 1];
  write->operation = operation;
  ssize_t result = post(writes, write, offset, length, more);
  if (result == -FI_EAGAIN) {
    return NO_ROOM;
  }
  check("posting a write", result);
  if (writes->post == POST_INJECT) {
    return DONE_ALREADY;
  }
  writes->free_count--;
  return POSTED;
}

struct operation *writes_done(struct writes *writes, const struct fi_cq_data_entry *entry) {
  struct write *write = entry->op_context;
  writes->free[writes->free_count++] = write;
  return write->operation;
}
