// SPDX-License-Identifier: Apache-2.0
#include "node.h"

#include <inttypes.h>
#include <rdma/fi_cm.h>
#include <rdma/fi_errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "connection.h"
#include "lines.h"

enum { MAX_ADDRESS = 512, MR_KEY = 1 };

static const char HERE[] = "127.0.0.1";
static const uint32_t VERSION = FI_VERSION(1, 17);

void check(const char *call, int64_t result) {
  if (result < 0) {
    fail("%s: %s", call, fi_strerror((int)-result));
  }
}

static struct fi_info *hints_of(const struct options *options, enum fi_ep_type type) {
  struct fi_info *hints = fi_allocinfo();
  if (!hints) {
    fail("fi_allocinfo: no memory");
  }
  hints->caps = FI_MSG | FI_RMA;
  hints->mode = FI_CONTEXT | FI_CONTEXT2;
  hints->ep_attr->type = type;
  hints->domain_attr->mr_mode = FI_MR_LOCAL | FI_MR_VIRT_ADDR | FI_MR_ALLOCATED | FI_MR_PROV_KEY;
  hints->fabric_attr->prov_name = strdup(options->provider);
  hints->tx_attr->op_flags = options->delivery_complete ? FI_DELIVERY_COMPLETE : 0;
  return hints;
}

// What a provider has of this type, or NULL.
static struct fi_info *find_of(const struct options *options, enum fi_ep_type type) {
  struct fi_info *hints = hints_of(options, type);
  struct fi_info *found;
  int result = fi_getinfo(VERSION, NULL, NULL, 0, hints, &found);
  if (result == -FI_ENODATA && options->delivery_complete) {
    hints->tx_attr->op_flags = 0;
    result = fi_getinfo(VERSION, NULL, NULL, 0, hints, &found);
  }
  if (result) {
    fi_freeinfo(hints);
    return NULL;
  }
  if (found->addr_format == FI_SOCKADDR || found->addr_format == FI_SOCKADDR_IN) {
    // loopback, rather than whichever interface comes first; a device need not have it
    struct fi_info *here;
    if (fi_getinfo(VERSION, HERE, NULL, FI_SOURCE, hints, &here) == 0) {
      fi_freeinfo(found);
      found = here;
    }
  }
  fi_freeinfo(hints);
  return found;
}

// Where a provider needs another one above it for endpoints that connect by themselves, and that one was not named, too,
// the way without it, which is shorter.
static struct fi_info *find(const struct options *options) {
  struct fi_info *found = find_of(options, FI_EP_RDM);
  if (!found) {
    fail("expected a provider that fi_info -p '%s' lists, with FI_EP_RDM and FI_RMA, got none", options->provider);
  }
  if (strcmp(found->fabric_attr->prov_name, options->provider) != 0) {
    struct fi_info *below = find_of(options, FI_EP_MSG);
    if (below) {
      fi_freeinfo(found);
      return below;
    }
  }
  return found;
}

static void open_endpoint(struct node *node) {
  struct fi_info *info = node->info;
  struct fi_av_attr av = {.type = info->domain_attr->av_type, .count = 1};
  check("fi_av_open", fi_av_open(node->domain, &av, &node->av, NULL));
  check("fi_endpoint", fi_endpoint(node->domain, info, &node->endpoint, NULL));
  check("fi_ep_bind", fi_ep_bind(node->endpoint, &node->av->fid, 0));
  check("fi_ep_bind", fi_ep_bind(node->endpoint, &node->cq->fid, FI_TRANSMIT | FI_RECV));
  check("fi_enable", fi_enable(node->endpoint));
}

static void open_domain(struct node *node) {
  struct fi_info *info = node->info;
  check("fi_fabric", fi_fabric(info->fabric_attr, &node->fabric, NULL));
  check("fi_domain", fi_domain(node->fabric, info, &node->domain, NULL));
  struct fi_cq_attr cq = {
      .size = info->tx_attr->size + info->rx_attr->size,
      .format = FI_CQ_FORMAT_DATA,
      .wait_obj = FI_WAIT_NONE, // it spins
  };
  check("fi_cq_open", fi_cq_open(node->domain, &cq, &node->cq, NULL));
}

static void register_memory(struct node *node, uint64_t bytes) {
  node->bytes = bytes;
  node->memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (node->memory == MAP_FAILED) {
    fail("no memory for %" PRIu64 " bytes", bytes);
  }
  // all pages are there before anything is measured, and are not all the same one
  memset(node->memory, 0x5a, bytes);
  uint64_t access = FI_READ | FI_WRITE | FI_REMOTE_READ | FI_REMOTE_WRITE | FI_SEND | FI_RECV;
  check("fi_mr_reg", fi_mr_reg(node->domain, node->memory, bytes, access, 0, MR_KEY, 0, &node->mr, NULL));
  node->descriptor = fi_mr_desc(node->mr);
}

void node_open(struct node *node, const struct options *options) {
  node->info = find(options);
  node->peer = FI_ADDR_UNSPEC;
  open_domain(node);
  if (node_has_connection(node)) {
    connection_open(node, options->origin);
  } else {
    open_endpoint(node);
  }
  register_memory(node, options->memory);
}

void node_close(struct node *node) {
  if (node->endpoint) {
    fi_close(&node->endpoint->fid);
  }
  fi_close(&node->mr->fid);
  connection_close(node);
  fi_close(&node->cq->fid);
  if (node->av) {
    fi_close(&node->av->fid);
  }
  fi_close(&node->domain->fid);
  fi_close(&node->fabric->fid);
  fi_freeinfo(node->info);
}

void node_address(const struct node *node) {
  unsigned char address[MAX_ADDRESS];
  char hex[2 * MAX_ADDRESS + 1];
  size_t length = sizeof address;
  if (node_has_connection(node) && !node->listener) {
    length = 0; // nobody connects to an origin
  } else {
    check("fi_getname", fi_getname(node->listener ? &node->listener->fid : &node->endpoint->fid, address, &length));
  }
  for (size_t i = 0; i < length; i++) {
    snprintf(hex + 2 * i, 3, "%02x", address[i]);
  }
  bool by_address = node->info->domain_attr->mr_mode & FI_MR_VIRT_ADDR;
  uint64_t base = by_address ? (uint64_t)(uintptr_t)node->memory : 0;
  answer("%s %" PRIu64 " %" PRIu64, length ? hex : "-", fi_mr_key(node->mr), base);
}

void node_connect(struct node *node, char *rest) {
  unsigned char address[MAX_ADDRESS];
  const char *hex = next_word(&rest, "an address");
  size_t length = strlen(hex) / 2;
  if (length > sizeof address) {
    fail("expected an address of up to %d bytes, got one of %zu", MAX_ADDRESS, length);
  }
  for (size_t i = 0; i < length && strcmp(hex, "-") != 0; i++) {
    if (sscanf(hex + 2 * i, "%2hhx", &address[i]) != 1) {
      fail("expected an address in hex, got '%s'", hex);
    }
  }
  node->peer_key = next_number(&rest, "a key");
  node->peer_base = next_number(&rest, "a base");
  if (node_has_connection(node)) {
    if (!node->listener) {
      connection_make(node, address);
    }
    node->peer = 0;
    return;
  }
  int inserted = fi_av_insert(node->av, address, 1, &node->peer, 0, NULL);
  check("fi_av_insert", inserted);
  if (inserted != 1) {
    fail("expected an address of provider %s, got '%s'", node->info->fabric_attr->prov_name, hex);
  }
}

bool node_has_connection(const struct node *node) { return node->info->ep_attr->type == FI_EP_MSG; }

bool node_is_delivery_complete(const struct node *node) {
  return node->info->tx_attr->op_flags & FI_DELIVERY_COMPLETE;
}

static _Noreturn void completion_failed(struct node *node) {
  char text[128] = "";
  struct fi_cq_err_entry error = {0};
  check("fi_cq_readerr", fi_cq_readerr(node->cq, &error, 0));
  const char *detail = fi_cq_strerror(node->cq, error.prov_errno, error.err_data, text, sizeof text);
  fail("a write failed: %s (%s)", fi_strerror(error.err), detail ? detail : "no more is known");
}

uint32_t node_poll(struct node *node, struct fi_cq_data_entry *entries) {
  ssize_t count = fi_cq_read(node->cq, entries, BATCH);
  if (count >= 0) {
    return (uint32_t)count;
  }
  if (count == -FI_EAVAIL) {
    completion_failed(node);
  }
  if (count != -FI_EAGAIN) {
    check("fi_cq_read", count);
  }
  return 0;
}
