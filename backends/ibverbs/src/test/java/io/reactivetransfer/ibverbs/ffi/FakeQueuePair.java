package io.reactivetransfer.ibverbs.ffi;

import io.reactivetransfer.ffm.ffi.Raw;
import io.reactivetransfer.ibverbs.ffi.FakeCompletionQueue.Completion;
import java.lang.foreign.Arena;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Queue;
import org.jspecify.annotations.Nullable;

/** A reliable connected queue pair: its states, its send queue, and what its requests do. */
final class FakeQueuePair extends FakeObject {

  private static final int EINVAL = 22;
  private static final int ENOMEM = 12;
  private static final int ETIMEDOUT = 110;
  private static final int RESET = 0;
  private static final long RETRY_NANOS = 20_000_000;
  private static final long TAKEN_NANOS = 3_000_000;
  private static final long AGAIN_NANOS = 500_000;

  /** What the header does not define. */
  private static final int UNDEFINED = 0xeeee_eeee;

  private static final int MOST_24_BITS = (1 << 24) - 1;

  private static final int FOR_INIT =
      Ib.IBV_QP_STATE | Ib.IBV_QP_PKEY_INDEX | Ib.IBV_QP_PORT | Ib.IBV_QP_ACCESS_FLAGS;
  private static final int FOR_RTR =
      Ib.IBV_QP_STATE
          | Ib.IBV_QP_AV
          | Ib.IBV_QP_PATH_MTU
          | Ib.IBV_QP_DEST_QPN
          | Ib.IBV_QP_RQ_PSN
          | Ib.IBV_QP_MAX_DEST_RD_ATOMIC
          | Ib.IBV_QP_MIN_RNR_TIMER;
  private static final int FOR_RTS =
      Ib.IBV_QP_STATE
          | Ib.IBV_QP_TIMEOUT
          | Ib.IBV_QP_RETRY_CNT
          | Ib.IBV_QP_RNR_RETRY
          | Ib.IBV_QP_SQ_PSN
          | Ib.IBV_QP_MAX_QP_RD_ATOMIC;

  /** A work request, read when it was posted. */
  private record Request(
      long id,
      int opcode,
      int flags,
      int imm,
      long from,
      int length,
      int lkey,
      @Nullable ByteBuffer inline,
      long to,
      int rkey,
      long place) {

    boolean hasImm() {
      return opcode == Ib.IBV_WR_RDMA_WRITE_WITH_IMM;
    }
  }

  final int number;
  private final FakeObject.Pd pd;
  private final FakeCompletionQueue cq;
  private final FakeObject.@Nullable Srq srq;
  private final int most;
  private final int inlineBytes;
  private final FakeCard card;
  private final Queue<Request> requests = new ArrayDeque<>();
  private int state = RESET;
  private int allowed;
  private int sentPsn;
  private int receivedPsn;
  private int mtu;
  private int peer;
  private Gid peersGid = new Gid(0, 0);
  private long places;
  private long freePlaces;

  private boolean hasReceived;

  /** A shared receive that it had taken when it failed, and completes after a while. */
  private @Nullable Long taken;

  /** When the peer is given up; 0 as long as it answers. */
  private long givenUpNanos;

  /** It is tried again then. */
  long dueNanos = System.nanoTime();

  FakeQueuePair(
      Arena arena,
      FakeCard card,
      FakeObject.Pd pd,
      FakeCompletionQueue cq,
      FakeObject.@Nullable Srq srq,
      int number,
      long attr) {
    super(
        arena,
        pd.context,
        srq == null ? new FakeObject[] {pd, cq} : new FakeObject[] {pd, cq, srq});
    this.card = card;
    this.pd = pd;
    this.cq = cq;
    this.srq = srq;
    this.number = number;
    most = Raw.getInt(IbLayout.INIT_MAX_SEND.in(attr));
    inlineBytes = Raw.getInt(IbLayout.INIT_INLINE.in(attr));
    Raw.putInt(IbLayout.QP_NUMBER.in(address), number);
  }

  boolean isOpenToWrites() {
    return (allowed & Ib.IBV_ACCESS_REMOTE_WRITE) != 0;
  }

  // ---- states ----

  int modify(long attr, int mask) {
    int wanted = Raw.getInt(IbLayout.QP_STATE.in(attr));
    if (wanted == Ib.IBV_QPS_ERR && mask == Ib.IBV_QP_STATE && state != RESET) {
      fail();
      return 0;
    }
    if (state == RESET && wanted == Ib.IBV_QPS_INIT && mask == FOR_INIT) {
      allowed = Raw.getInt(IbLayout.QP_ACCESS.in(attr));
      return Raw.getUnsignedByte(IbLayout.QP_PORT.in(attr)) == 1 ? become(wanted) : -EINVAL;
    }
    if (state == Ib.IBV_QPS_INIT && wanted == Ib.IBV_QPS_RTR && mask == FOR_RTR) {
      return connect(attr, wanted);
    }
    if (state == Ib.IBV_QPS_RTR && wanted == Ib.IBV_QPS_RTS && mask == FOR_RTS) {
      sentPsn = Raw.getInt(IbLayout.QP_SQ_PSN.in(attr)) & MOST_24_BITS;
      card.connected(FakeConnection.of(context.device, attr));
      return become(wanted);
    }
    return -EINVAL;
  }

  private int become(int wanted) {
    state = wanted;
    return 0;
  }

  private int connect(long attr, int wanted) {
    peersGid = Gid.at(IbLayout.QP_DGID.in(attr));
    peer = Raw.getInt(IbLayout.QP_DEST.in(attr));
    receivedPsn = Raw.getInt(IbLayout.QP_RQ_PSN.in(attr)) & MOST_24_BITS;
    mtu = Raw.getInt(IbLayout.QP_PATH_MTU.in(attr));
    boolean isRight =
        Raw.getUnsignedByte(IbLayout.QP_IS_GLOBAL.in(attr)) == 1
            && Raw.getUnsignedByte(IbLayout.QP_AH_PORT.in(attr)) == 1
            && context.device.hasGid(Raw.getUnsignedByte(IbLayout.QP_SGID_INDEX.in(attr)))
            && mtu >= Ib.IBV_MTU_256
            && mtu <= context.device.mtu;
    if (!isRight) {
      return -EINVAL;
    }
    return card.isAnywhere(peersGid) ? become(wanted) : -ETIMEDOUT;
  }

  /** Nothing is sent or received any more. */
  void fail() {
    if (state != Ib.IBV_QPS_ERR) {
      state = Ib.IBV_QPS_ERR;
      taken = srq != null && card.takesReceives() && hasReceived ? srq.receives.poll() : null;
      if (srq == null) {
        card.wake();
      } else if (taken == null) {
        context.events.add(Ib.IBV_EVENT_QP_LAST_WQE_REACHED, address);
      } else {
        dueNanos = System.nanoTime() + TAKEN_NANOS;
        card.wake();
      }
    }
    flush();
  }

  private void completeTaken(long receive) {
    taken = null;
    cq.add(new Completion(this, receive, Ib.IBV_WC_WR_FLUSH_ERR, 0, 0, 0, 0), card.books());
    context.events.add(Ib.IBV_EVENT_QP_LAST_WQE_REACHED, address);
  }

  private void flush() {
    for (Request next = requests.poll(); next != null; next = requests.poll()) {
      complete(next, Ib.IBV_WC_WR_FLUSH_ERR);
    }
  }

  @Override
  void end() {
    super.end();
    if (taken != null) {
      card.books().mistake("a shared receive was lost with the queue pair that had taken it");
    }
    requests.clear();
    cq.forget(this);
    context.events.removeIf(event -> event.element() == address);
  }

  // ---- posting ----

  int post(long first, long badWr) {
    int result = state == Ib.IBV_QPS_RTS || state == Ib.IBV_QPS_ERR ? 0 : -EINVAL;
    long wr = first;
    for (; result == 0 && wr != 0; wr = Raw.getLong(IbLayout.WR_NEXT.in(wr))) {
      result = take(wr);
      if (result != 0) {
        break;
      }
    }
    if (result != 0) {
      Raw.putLong(badWr, wr);
    }
    if (state == Ib.IBV_QPS_ERR) {
      flush();
    }
    return result;
  }

  private int take(long wr) {
    if (places - freePlaces == most) {
      card.books().mistake("an overrun of a send queue of " + most);
      return -ENOMEM;
    }
    int flags = Raw.getInt(IbLayout.WR_FLAGS.in(wr));
    boolean hasBytes = Raw.getInt(IbLayout.WR_NUM_SGE.in(wr)) > 0;
    long sge = Raw.getLong(IbLayout.WR_SG_LIST.in(wr));
    long from = hasBytes ? Raw.getLong(IbLayout.SGE_ADDR.in(sge)) : 0;
    int length = hasBytes ? Raw.getInt(IbLayout.SGE_LENGTH.in(sge)) : 0;
    ByteBuffer inline = null;
    if ((flags & Ib.IBV_SEND_INLINE) != 0) {
      inline = FakeMemory.read(from, length);
      if (length > inlineBytes || inline == null) {
        return -EINVAL;
      }
    }
    requests.add(
        new Request(
            Raw.getLong(IbLayout.WR_ID.in(wr)),
            Raw.getInt(IbLayout.WR_OPCODE.in(wr)),
            flags,
            Raw.getInt(IbLayout.WR_IMM.in(wr)),
            from,
            length,
            hasBytes ? Raw.getInt(IbLayout.SGE_LKEY.in(sge)) : 0,
            inline,
            Raw.getLong(IbLayout.WR_REMOTE_ADDR.in(wr)),
            Raw.getInt(IbLayout.WR_RKEY.in(wr)),
            ++places));
    return 0;
  }

  /** With this one, the places of all before it are free. */
  void polled(long place) {
    freePlaces = Math.max(freePlaces, place);
  }

  private void complete(Request request, int status) {
    if (status != Ib.IBV_WC_SUCCESS || (request.flags() & Ib.IBV_SEND_SIGNALED) != 0) {
      cq.add(
          new Completion(this, request.id(), status, UNDEFINED, 0, 0, request.place()),
          card.books());
    }
  }

  // ---- what requests do ----

  boolean hasWork() {
    return taken != null || !requests.isEmpty();
  }

  /** Does the first request, or part of waiting for it. */
  void step() {
    Long receive = taken;
    if (receive != null) {
      completeTaken(receive);
      return;
    }
    write();
  }

  private void write() {
    Request request = requests.element();
    ByteBuffer bytes = request.inline();
    if (bytes == null && request.length() > 0) {
      FakeObject.Mr source = card.local(pd, request.lkey());
      boolean isThere = source != null && source.has(request.from(), request.length());
      bytes = isThere ? card.memory().peek(source.address(request.from()), request.length()) : null;
      if (bytes == null) {
        fail(Ib.IBV_WC_LOC_PROT_ERR);
        return;
      }
    }
    FakeQueuePair target = card.reachable(this, peer, peersGid);
    if (target == null || !target.isFor(this)) {
      retry();
      return;
    }
    givenUpNanos = 0;
    if (request.length() > 0 && !target.lets(request)) {
      target.context.events.add(Ib.IBV_EVENT_QP_ACCESS_ERR, target.address);
      target.fail();
      fail(Ib.IBV_WC_REM_ACCESS_ERR);
      return;
    }
    Long receive = null;
    if (request.hasImm()) {
      receive = target.srq == null ? null : target.srq.receives.poll();
      if (receive == null) {
        dueNanos = System.nanoTime() + AGAIN_NANOS; // it is asked to wait
        return;
      }
    }
    if (bytes != null && !FakeMemory.write(target.placeOf(request), bytes)) {
      card.books().mistake("a write to memory that is registered and gone");
    }
    if (receive != null) {
      target.hasReceived = true;
      target.cq.add(
          new Completion(
              target,
              receive,
              Ib.IBV_WC_SUCCESS,
              request.length(),
              request.imm(),
              Ib.IBV_WC_WITH_IMM,
              0),
          card.books());
    }
    if (card.mixesUp()) {
      target.fail();
      fail(Ib.IBV_WC_REM_INV_REQ_ERR);
      return;
    }
    requests.remove();
    complete(request, Ib.IBV_WC_SUCCESS);
  }

  private boolean isFor(FakeQueuePair sender) {
    return (state == Ib.IBV_QPS_RTR || state == Ib.IBV_QPS_RTS)
        && peer == sender.number
        && sender.context.device.has(peersGid)
        && receivedPsn == sender.sentPsn
        && mtu == sender.mtu; // what the one calls the middle of a message is its end to the other
  }

  private boolean lets(Request request) {
    FakeObject.Mr mr = card.remote(pd, request.rkey());
    return mr != null
        && (allowed & mr.allowed & Ib.IBV_ACCESS_REMOTE_WRITE) != 0
        && mr.has(request.to(), request.length());
  }

  /** Of one that it lets in. */
  private long placeOf(Request request) {
    FakeObject.Mr mr = card.remote(pd, request.rkey());
    return mr == null ? 0 : mr.address(request.to());
  }

  private void retry() {
    long now = System.nanoTime();
    if (givenUpNanos == 0) {
      givenUpNanos = now + RETRY_NANOS;
    }
    if (now - givenUpNanos > 0) {
      fail(Ib.IBV_WC_RETRY_EXC_ERR);
    } else {
      dueNanos = now + AGAIN_NANOS;
    }
  }

  private void fail(int status) {
    complete(requests.remove(), status);
    fail();
  }
}
