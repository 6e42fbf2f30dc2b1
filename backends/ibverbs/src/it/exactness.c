/*
 * Whether a card is exact where acknowledgements come late: posts writes with an immediate, numbered
 * from 0, from the device rxa0 to rxb0 of the guest's network veth, both in this process, over one
 * reliable connection after the other, and says which number came twice or not at all, and what had
 * arrived although the origin was told that the request was invalid.
 *
 * usage: exactness EXPONENT SECONDS   (the card waits 4.096 us times 2^EXPONENT before it sends again)
 */
#include <arpa/inet.h>
#include <infiniband/verbs.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define CHECK(what) \
  do { \
    if (!(what)) { \
      perror(#what); \
      exit(1); \
    } \
  } while (0)

enum { PLACE = 65536, PLACES = 512, OUTSTANDING = 128, SIGNAL_EVERY = 16, RECEIVES = 1000, BATCH = 64, PER_CONNECTION = 200000 };

static const double QUIET = 0.3; /* s, after which nothing more comes of a connection that has failed */
static const double STILL = 20;  /* s without any completion */

struct side {
  struct ibv_context *context;
  struct ibv_pd *pd;
  struct ibv_cq *cq;
  struct ibv_qp *qp;
  struct ibv_mr *mr;
  union ibv_gid gid;
  int gid_index;
  char *memory;
};

static long posted, arrived, twice, missing, invalid_but_there;

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void open_side(struct side *side, const char *name) {
  int count;
  struct ibv_device **devices = ibv_get_device_list(&count);
  for (int i = 0; i < count; i++) {
    if (!strcmp(ibv_get_device_name(devices[i]), name)) {
      side->context = ibv_open_device(devices[i]);
    }
  }
  CHECK(side->context);
  side->gid_index = -1;
  for (int i = 0; i < 16 && side->gid_index < 0; i++) {
    struct ibv_gid_entry entry;
    if (!ibv_query_gid_ex(side->context, 1, (uint32_t)i, &entry, 0) && entry.gid_type == IBV_GID_TYPE_ROCE_V2 &&
        entry.gid.raw[10] == 0xff && entry.gid.raw[11] == 0xff) {
      side->gid = entry.gid;
      side->gid_index = i;
    }
  }
  CHECK(side->gid_index >= 0);
  CHECK(side->pd = ibv_alloc_pd(side->context));
  CHECK(side->memory = calloc(PLACES, PLACE));
  CHECK(side->mr = ibv_reg_mr(side->pd, side->memory, (size_t)PLACES * PLACE, IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE));
  CHECK(side->cq = ibv_create_cq(side->context, 4096, NULL, NULL, 0));
}

static void make(struct side *side) {
  struct ibv_qp_init_attr init = {.send_cq = side->cq, .recv_cq = side->cq, .cap = {256, RECEIVES, 1, 1, 0}, .qp_type = IBV_QPT_RC};
  struct ibv_qp_attr attr = {.qp_state = IBV_QPS_INIT, .port_num = 1, .qp_access_flags = IBV_ACCESS_REMOTE_WRITE};
  CHECK(side->qp = ibv_create_qp(side->pd, &init));
  CHECK(!ibv_modify_qp(side->qp, &attr, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS));
}

static void connect_to(struct side *side, const struct side *other, uint32_t psn, int exponent) {
  struct ibv_qp_attr attr = {.qp_state = IBV_QPS_RTR, .path_mtu = IBV_MTU_2048, .dest_qp_num = other->qp->qp_num, .rq_psn = psn,
      .max_dest_rd_atomic = 1, .min_rnr_timer = 12,
      .ah_attr = {.grh = {.dgid = other->gid, .sgid_index = (uint8_t)side->gid_index, .hop_limit = 64}, .is_global = 1, .port_num = 1}};
  CHECK(!ibv_modify_qp(side->qp, &attr, IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN |
      IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER));
  struct ibv_qp_attr ready = {.qp_state = IBV_QPS_RTS, .timeout = (uint8_t)exponent, .retry_cnt = 6, .rnr_retry = 7, .sq_psn = psn, .max_rd_atomic = 1};
  CHECK(!ibv_modify_qp(side->qp, &ready, IBV_QP_STATE | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY | IBV_QP_SQ_PSN | IBV_QP_MAX_QP_RD_ATOMIC));
}

static void post_receive(struct side *side) {
  struct ibv_recv_wr request = {0}, *bad;
  CHECK(!ibv_post_recv(side->qp, &request, &bad));
}

static int post(struct side *from, const struct side *to, uint32_t number) {
  uint64_t offset = (uint64_t)(number % PLACES) * PLACE;
  int most = rand() % 3 == 0 ? PLACE : rand() % 2 ? 4096 : 64;
  struct ibv_sge sge = {(uintptr_t)from->memory + offset, (uint32_t)(1 + rand() % most), from->mr->lkey};
  struct ibv_send_wr *bad, request = {.wr_id = number, .sg_list = &sge, .num_sge = 1, .opcode = IBV_WR_RDMA_WRITE_WITH_IMM,
      .send_flags = (number + 1) % SIGNAL_EVERY == 0 ? IBV_SEND_SIGNALED : 0, .imm_data = htonl(number),
      .wr.rdma = {(uintptr_t)to->memory + offset, to->mr->rkey}};
  return ibv_post_send(from->qp, &request, &bad);
}

/* Writes over one connection until it has failed, the time is over, or enough is written. */
static void run(struct side *from, struct side *to, int exponent, double end) {
  make(from);
  make(to);
  for (int i = 0; i < RECEIVES; i++) {
    post_receive(to);
  }
  uint32_t psn = (uint32_t)rand() & 0xffffff;
  connect_to(from, to, psn, exponent);
  connect_to(to, from, psn, exponent);

  uint32_t next = 0, done = 0, expected = 0;
  struct ibv_wc wc[BATCH], failed = {0};
  double last = now();
  while (!failed.status && now() < end && next < PER_CONNECTION && now() - last < STILL) {
    for (; next - done < OUTSTANDING; next++) {
      CHECK(!post(from, to, next));
    }
    int count = ibv_poll_cq(from->cq, BATCH, wc);
    for (int i = 0; i < count && !failed.status; i++) {
      last = now();
      done = (uint32_t)wc[i].wr_id + 1;
      failed = wc[i];
    }
    double quiet = now();
    do {
      count = ibv_poll_cq(to->cq, BATCH, wc);
      for (int i = 0; i < count; i++) {
        last = quiet = now();
        if (wc[i].status) {
          continue; /* a receive of a connection that has failed */
        }
        uint32_t number = ntohl(wc[i].imm_data);
        arrived++;
        twice += number < expected;
        missing += number > expected;
        expected = number + 1;
        post_receive(to);
      }
    } while (count > 0 || (failed.status && now() - quiet < QUIET));
  }
  posted += next;
  if (failed.status) {
    int there = expected > failed.wr_id;
    invalid_but_there += there && failed.status == IBV_WC_REM_INV_REQ_ERR;
    printf("write %lu: %s (status %d), and it had %sarrived\n", (unsigned long)failed.wr_id, ibv_wc_status_str(failed.status), failed.status, there ? "" : "not ");
  }
  ibv_destroy_qp(from->qp);
  ibv_destroy_qp(to->qp);
  while (ibv_poll_cq(from->cq, BATCH, wc) > 0 || ibv_poll_cq(to->cq, BATCH, wc) > 0) {
  }
}

int main(int count, char **arguments) {
  if (count != 3) {
    fprintf(stderr, "usage: exactness EXPONENT SECONDS\n");
    return 2;
  }
  struct side from = {0}, to = {0};
  open_side(&from, "rxa0");
  open_side(&to, "rxb0");
  double end = now() + atof(arguments[2]);
  while (now() < end) {
    run(&from, &to, atoi(arguments[1]), end);
  }
  printf("exponent %s: %ld posted, %ld arrived, %ld twice, %ld missing, %ld called invalid and there\n", arguments[1], posted, arrived, twice, missing, invalid_but_there);
  return twice + missing + invalid_but_there > 0;
}
