package io.reactivetransfer.ibverbs;

import static io.reactivetransfer.ibverbs.VerbsLibrary.require;

import io.reactivetransfer.ibverbs.ffi.Handles;
import io.reactivetransfer.ibverbs.ffi.QpTransitions;
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

  private static final int INLINE_BYTES = 64;

  private final OpenDevice device;
  private final Port port;
  private final AckTiming timing;
  private final RandomGenerator random;
  private final Set<Long> open = ConcurrentHashMap.newKeySet();

  /** A queue pair that was made. */
  record Made(long qp, int number, int psn) {}

  /**
   * For one NIC.
   *
   * @param random for the numbers of first packets; safe from any thread
   */
  QueuePairs(OpenDevice device, Port port, AckTiming timing, RandomGenerator random) {
    this.device = device;
    this.port = port;
    this.timing = timing;
    this.random = random;
  }

  /** Writes up to so long are copied into the work request. */
  static int inlineBytes() {
    return INLINE_BYTES;
  }

  /** Makes one that can be connected. */
  Made make() {
    long qp =
        require(
            "ibv_create_qp",
            Handles.createQp(
                device.verbs,
                device.pd(),
                device.cq(),
                device.srq(),
                device.queueSends(),
                INLINE_BYTES));
    open.add(qp);
    try (QpTransitions to = new QpTransitions(device.verbs, qp)) {
      require("ibv_modify_qp to INIT", to.init(port.number()));
    } catch (BackendException e) {
      destroy(qp);
      throw e;
    }
    return new Made(qp, Handles.number(qp), random.nextInt() & Hello.MOST_24_BITS);
  }

  /** Connects one with that of a peer. */
  void connect(long qp, int psn, VerbsAddress peer, Hello hello) {
    try (QpTransitions to = new QpTransitions(device.verbs, qp)) {
      require(
          "ibv_modify_qp to RTR, for " + peer + ",",
          to.readyToReceive(
              port.number(),
              port.gidIndex(),
              peer.isGlobal() ? peer.gid() : null,
              peer.lid(),
              Math.min(port.address().mtu(), hello.mtu()),
              hello.number(),
              hello.psn(),
              RNR_TIMER));
      require(
          "ibv_modify_qp to RTS",
          to.readyToSend(psn, timing.exponent(), timing.retries(), RNR_RETRIES));
    }
  }

  /** Has it send and receive nothing more. Where that fails, destroying it does. */
  void stop(long qp) {
    try (QpTransitions to = new QpTransitions(device.verbs, qp)) {
      int ignored = to.error();
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
