// SPDX-License-Identifier: Apache-2.0
#include "connection.h"

#include <rdma/fi_cm.h>
#include <rdma/fi_errno.h>

#include "clock.h"
#include "lines.h"

enum { MAX_EVENT = 512 };

static const uint64_t PATIENCE_NANOS = 10000000000;

void connection_open(struct node *node, bool origin) {
  struct fi_eq_attr attr = {.wait_obj = FI_WAIT_NONE};
  check("fi_eq_open", fi_eq_open(node->fabric, &attr, &node->events, NULL));
  if (!origin) {
    check("fi_passive_ep", fi_passive_ep(node->fabric, node->info, &node->listener, NULL));
    check("fi_pep_bind", fi_pep_bind(node->listener, &node->events->fid, 0));
    check("fi_listen", fi_listen(node->listener));
  }
}

void connection_close(struct node *node) {
  if (node->listener) {
    fi_close(&node->listener->fid);
  }
  if (node->events) {
    fi_close(&node->events->fid);
  }
}

static void open_endpoint(struct node *node, struct fi_info *info) {
  check("fi_endpoint", fi_endpoint(node->domain, info, &node->endpoint, NULL));
  check("fi_ep_bind", fi_ep_bind(node->endpoint, &node->events->fid, 0));
  check("fi_ep_bind", fi_ep_bind(node->endpoint, &node->cq->fid, FI_TRANSMIT | FI_RECV));
  check("fi_enable", fi_enable(node->endpoint));
}

void connection_make(struct node *node, const void *address) {
  struct patience patience = {.nanos = PATIENCE_NANOS};
  open_endpoint(node, node->info);
  check("fi_connect", fi_connect(node->endpoint, address, NULL, 0));
  while (!node->is_connected) {
    connection_poll(node);
    if (patience_is_over(&patience)) {
      fail("expected a connection to the target, got none");
    }
  }
}

static _Noreturn void event_failed(struct node *node) {
  struct fi_eq_err_entry error = {0};
  fi_eq_readerr(node->events, &error, 0);
  fail("no connection: %s", fi_strerror(error.err));
}

void connection_poll(struct node *node) {
  union {
    struct fi_eq_cm_entry entry;
    char bytes[MAX_EVENT];
  } event;
  uint32_t kind;
  ssize_t length = fi_eq_read(node->events, &kind, &event, sizeof event, 0);
  if (length == -FI_EAVAIL) {
    event_failed(node);
  }
  if (length == -FI_EAGAIN) {
    return;
  }
  check("fi_eq_read", length);
  if (kind == FI_CONNREQ) {
    open_endpoint(node, event.entry.info);
    check("fi_accept", fi_accept(node->endpoint, NULL, 0));
    fi_freeinfo(event.entry.info);
  }
  node->is_connected |= kind == FI_CONNECTED;
}
