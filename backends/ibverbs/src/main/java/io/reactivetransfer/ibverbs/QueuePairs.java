package io.reactivetransfer.ibverbs;

import static io.reactivetransfer.ibverbs.VerbsLibrary.require;

import io.reactivetransfer.ibverbs.ffi.Handles;
import io.reactivetransfer.ibverbs.ffi.Handles.NewQueuePair;
import io.reactivetransfer.ibverbs.ffi.Ib;
import io.reactivetransfer.ibverbs.ffi.QpTransitions;
import io.reactivetransfer.ibverbs.ffi.SendRequests;
import io.reactivetransfer.spi.BackendException;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.random.RandomGenerator;

/**
 * Makes queue pairs, connects them, and ends them: calls that may block, so they are made by the
 * threads of {@link Tasks}.
 */
final class QueuePairs {

  /** A receiver that has no receive posted asks for 10 us. */
  private static final int RNR_TIMER = 1;

  /** A sender waits for such a receiver for ever: whether it lives is the control channel's. */
  private static final int RNR_RETRIES = 7;

  private static final int EINVAL = 22;

  private final OpenDevice device;
  private final Port port;
  private final AckTiming timing;
  private final Priority priority;
  private final RandomGenerator random;
  private final Set<Long> open = ConcurrentHashMap.newKeySet();

  /** How much is copied into requests, as far as the device has said; tasks ask for it. */
  private volatile int inlineBytes = SendRequests.COPIED_BYTES;

  /**
   * A queue pair that was made.
   *
   * @param psn of the first packet that it sends
   * @param inlineBytes up to so many are copied into a request
   */
  record Made(long qp, int number, int psn, int inlineBytes) {}

  /**
   * For one NIC.
   *
   * @param random for the numbers of first packets; safe from any thread
   */
  QueuePairs(OpenDevice device, Port port, VerbsSettings settings, RandomGenerator random) {
    this.device = device;
    this.port = port;
    timing = settings.timing();
    priority = settings.priority();
    this.random = random;
  }

  /** Makes one for own writes, which is to be connected. */
  Made makeForWriting() {
    return make(0, device.queueSends(), inlineBytes);
  }

  /** Makes one for the writes of a peer, which is to be connected. */
  Made makeForReceiving() {
    return make(device.srq(), 1, 0);
  }

  /** Without a queue of receives, nothing that a peer sends by it takes one. */
  private Made make(long srq, int sends, int inline) {
    NewQueuePair created = create(srq, sends, inline);
    if (created.qp() == -EINVAL && inline > 0) { // the device takes less, and does not say how much
      created = create(srq, sends, 0);
      inlineBytes = created.qp() < 0 ? inline : 0;
    }
    long qp = require("ibv_create_qp", created.qp());
    open.add(qp);
    int psn = random.nextInt() & SetUp.MOST_24_BITS;
    return new Made(qp, Handles.number(qp), psn, created.inlineBytes());
  }

  private NewQueuePair create(long srq, int sends, int inline) {
    return Handles.createQp(device.verbs, device.pd(), device.cq(), srq, sends, inline);
  }

  /** What the peer is told of one. */
  SetUp.QueuePair nameOf(Made made) {
    return new SetUp.QueuePair(made.number(), made.psn(), port.address().mtu());
  }

  /** Connects one for own writes with that of a peer, which may not write by it. */
  void connectForWriting(long qp, int psn, VerbsAddress peer, SetUp.QueuePair to) {
    connect(qp, psn, peer, to, 0);
  }

  /** Connects one for the writes of a peer with its own. */
  void connectForReceiving(long qp, int psn, VerbsAddress peer, SetUp.QueuePair to) {
    connect(qp, psn, peer, to, Ib.IBV_ACCESS_REMOTE_WRITE);
  }

  private void connect(long qp, int psn, VerbsAddress peer, SetUp.QueuePair to, int access) {
    try (QpTransitions transitions = new QpTransitions(device.verbs, qp)) {
      require("ibv_modify_qp to INIT", transitions.init(port.number(), access));
      transitions.priority(priority.serviceLevel(), priority.trafficClass());
      require(
          "ibv_modify_qp to RTR, for " + peer + ",",
          transitions.readyToReceive(
              port.number(),
              port.gidIndex(),
              peer.isGlobal() ? peer.gid() : null,
              peer.lid(),
              Math.min(port.address().mtu(), to.mtu()),
              to.number(),
              to.psn(),
              RNR_TIMER));
      require(
          "ibv_modify_qp to RTS",
          transitions.readyToSend(psn, timing.exponent(), timing.retries(), RNR_RETRIES));
    }
  }

  /** Has it send and receive nothing more. */
  void stop(long qp) {
    try (QpTransitions to = new QpTransitions(device.verbs, qp)) {
      int result = to.error();
      if (!device.isDone(result)) {
        throw VerbsLibrary.failure("ibv_modify_qp to ERR", result);
      }
    }
  }

  /** Ends one. */
  void destroy(long qp) {
    open.remove(qp); // before its number can be another one's
    int result = device.verbs.ibv_destroy_qp(qp);
    if (!device.isDone(result)) {
      open.add(qp);
      throw VerbsLibrary.failure("ibv_destroy_qp", result);
    }
  }

  /**
   * Ends all that there are; no task runs.
   *
   * @throws BackendException if some cannot be ended; the others are
   */
  void close() {
    Closing.each(Set.copyOf(open), this::destroy);
  }
}
