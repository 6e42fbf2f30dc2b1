package io.reactivetransfer.ibverbs.ffi;

import io.reactivetransfer.ffm.ffi.Raw;
import java.lang.foreign.Arena;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.ToLongFunction;
import java.util.stream.IntStream;

/**
 * Cards in software, for one process: devices {@code fake0}, {@code fake1} and so on, with one port
 * each and RoCE between them. Takes as little as a card does: whoever does what libibverbs leaves
 * undefined, or gives a queue more than it asked room for, finds it among the mistakes.
 */
public class FakeVerbs implements Verbs {

  private static final int EBADF = 9;
  private static final int EOPNOTSUPP = 95;
  private static final int EFAULT = 14;
  private static final int EBUSY = 16;
  private static final int EAGAIN = 11;
  private static final int EINVAL = 22;
  private static final int ENOMEM = 12;

  /** Bits of an address within a page. */
  private static final long SAME = (1L << 12) - 1;

  /** From here on nothing is of this process, so that a kernel could pin it. */
  private static final long NOWHERE = 1L << 55;

  private static final int KEY_STEP = 0x0135_7912;

  private final Arena arena = Arena.ofAuto();
  private final FakeBooks books = new FakeBooks();
  private final List<FakeDevice> devices;
  private final FakeCard card;
  private final Set<Long> lists = new HashSet<>();
  private int lastKey;
  private final Deque<Integer> endedKeys = new ArrayDeque<>();
  private final Map<Integer, Long> exported = new HashMap<>();
  private int lastNumber = 16;
  private boolean knowsDmaBufs = true;
  private int toBeAcknowledged;
  private int made;
  private int mostInline = 256;
  private boolean refusesMoreInline;

  /** With so many devices. */
  public FakeVerbs(int count) {
    this(count, FakeLimits.LARGE);
  }

  /** With so many devices whose queues have no more room than this. */
  @SuppressWarnings("this-escape") // the card begins when something is posted
  public FakeVerbs(int count, FakeLimits limits) {
    devices =
        IntStream.range(0, count).mapToObj(each -> new FakeDevice(arena, each, limits)).toList();
    card = new FakeCard(this, books, devices);
  }

  // ---- what tests ask and do ----

  /** What is open, one line each. */
  public synchronized List<String> open() {
    return lists.isEmpty() ? books.open() : List.of("a list of devices");
  }

  /** What was done that may not be, one line each. */
  public synchronized List<String> mistakes() {
    return toBeAcknowledged == 0
        ? books.mistakes()
        : List.of(toBeAcknowledged + " async events were not acknowledged");
  }

  /** The link of a device is cut, or there again. */
  public synchronized void link(int device, boolean isUp) {
    devices.get(device).isUp = isUp;
    devices.get(device).happens(isUp ? Ib.IBV_EVENT_PORT_ACTIVE : Ib.IBV_EVENT_PORT_ERR, 1);
  }

  /** Cards do nothing of what is posted to them, until they are let go. */
  public synchronized void hold(boolean isHeld) {
    card.hold(isHeld);
  }

  /**
   * The next write that comes in arrives, but its acknowledgement is lost, and the copy that is
   * sent then is called invalid, as Soft-RoCE does where it mixes up that copy.
   */
  public synchronized void mixUpNext() {
    card.mixUpNext();
  }

  /**
   * Whether a queue pair that fails has a shared receive, as of a message that was half-way in,
   * which it completes some milliseconds later, before it says that this was the last.
   */
  public synchronized void takesReceives(boolean takes) {
    card.takesReceives(takes);
  }

  /** A device has one more address. */
  public synchronized void addAddress(int device, Gid gid) {
    devices.get(device).add(gid);
  }

  /** The addresses of a device change: the own one is gone, or there again. */
  public synchronized void address(int device, boolean isThere) {
    devices.get(device).hasItsAddress = isThere;
    devices.get(device).happens(Ib.IBV_EVENT_GID_CHANGE, 1);
  }

  /** The largest packets of a device, as of a port whose network device has this MTU. */
  public synchronized void mtu(int device, int mtu) {
    devices.get(device).mtu = mtu;
  }

  /** What queue pairs were told when they were connected, the first one first. */
  public synchronized List<FakeConnection> connections() {
    return card.connections();
  }

  /** A device has got another LID. */
  public synchronized void lid(int device, int lid) {
    devices.get(device).lid = (short) lid;
    devices.get(device).happens(Ib.IBV_EVENT_LID_CHANGE, 1);
  }

  /**
   * From now on requests take fewer bytes.
   *
   * @param most the longest that is copied into a request
   * @param refusesMore whether who asks for more gets no queue pair, or one that takes less
   */
  public synchronized void inline(int most, boolean refusesMore) {
    mostInline = most;
    refusesMoreInline = refusesMore;
  }

  /** A device says that it can do nothing more. */
  public synchronized void fatal(int device) {
    devices.get(device).happens(Ib.IBV_EVENT_DEVICE_FATAL, 0);
  }

  /** A queue pair fails that nothing is out on, as it may when the peer is ended. */
  public synchronized void failQueuePairs(int device) {
    for (FakeQueuePair each : books.all(FakeQueuePair.class)) {
      if (each.context.device == devices.get(device)) {
        each.context.events.add(Ib.IBV_EVENT_QP_FATAL, each.address);
        each.fail();
      }
    }
  }

  /** Another driver exports memory under this descriptor: where its bytes are in this process. */
  public synchronized void export(int descriptor, long address) {
    exported.put(descriptor, address);
  }

  /** The descriptor is closed; what was registered stays. */
  public synchronized void closed(int descriptor) {
    if (exported.remove(descriptor) == null) {
      books.mistake("close of " + descriptor + ", which is not open");
    }
  }

  /** The descriptors that are not closed. */
  public synchronized Set<Integer> exported() {
    return Set.copyOf(exported.keySet());
  }

  // ---- devices ----

  @Override
  public synchronized long ibv_get_device_list(long count) {
    Raw.putInt(count, devices.size());
    long list = arena.allocate((devices.size() + 1L) * Long.BYTES, Long.BYTES).address();
    for (int i = 0; i < devices.size(); i++) {
      Raw.putLong(list + (long) i * Long.BYTES, devices.get(i).address);
    }
    lists.add(list);
    return list;
  }

  @Override
  public synchronized void ibv_free_device_list(long list) {
    if (!lists.remove(list)) {
      books.mistake("ibv_free_device_list of none");
    }
  }

  private FakeDevice device(long address) {
    return devices.stream().filter(each -> each.address == address).findFirst().orElseThrow();
  }

  @Override
  public synchronized String ibv_get_device_name(long device) {
    return device(device).name;
  }

  @Override
  public synchronized long ibv_open_device(long device) {
    return books.add(new FakeContext(arena, device(device))).address;
  }

  @Override
  public synchronized int ibv_close_device(long context) {
    return destroy(FakeContext.class, context, "ibv_close_device");
  }

  private <T extends FakeObject> int destroy(Class<T> type, long address, String call) {
    T object = books.get(type, address, call);
    if (object == null) {
      return -EINVAL;
    }
    return books.remove(object, call) ? 0 : -EBUSY;
  }

  private <T extends FakeObject> int with(
      Class<T> type, long address, String call, ToLongFunction<T> what) {
    T object = books.get(type, address, call);
    return object == null ? -EINVAL : (int) what.applyAsLong(object);
  }

  private <T extends FakeObject> long made(
      Class<T> type, long address, String call, ToLongFunction<T> what) {
    T object = books.get(type, address, call);
    return object == null ? -EINVAL : what.applyAsLong(object);
  }

  @Override
  public synchronized int ibv_query_device(long context, long attr) {
    return with(
        FakeContext.class,
        context,
        "ibv_query_device",
        found -> {
          found.device.describe(attr);
          return 0;
        });
  }

  @Override
  public synchronized int ibv_query_port(long context, int port, long attr) {
    return with(
        FakeContext.class,
        context,
        "ibv_query_port",
        found -> {
          if (port != 1) {
            return -EINVAL;
          }
          found.device.describePort(attr);
          return 0;
        });
  }

  @Override
  public synchronized int ibv_query_gid_ex(long context, int port, int index, long entry) {
    return with(
        FakeContext.class,
        context,
        "ibv_query_gid_ex",
        found -> found.device.describeGid(index, entry));
  }

  // ---- memory ----

  @Override
  public synchronized long ibv_alloc_pd(long context) {
    return made(
        FakeContext.class,
        context,
        "ibv_alloc_pd",
        found -> books.add(new FakeObject.Pd(arena, found)).address);
  }

  @Override
  public synchronized int ibv_dealloc_pd(long pd) {
    return destroy(FakeObject.Pd.class, pd, "ibv_dealloc_pd");
  }

  @Override
  public synchronized long ibv_reg_mr_iova2(
      long pd, long address, long length, long iova, int access) {
    return address >= NOWHERE
        ? -EFAULT
        : registered("ibv_reg_mr_iova2", pd, address, length, iova, access);
  }

  @Override
  public synchronized long ibv_reg_dmabuf_mr(
      long pd, long offset, long length, long iova, int descriptor, int access) {
    if (!knowsDmaBufs) {
      return -EOPNOTSUPP;
    }
    Long address = exported.get(descriptor);
    return address == null
        ? -EBADF
        : registered("ibv_reg_dmabuf_mr", pd, address + offset, length, iova, access);
  }

  /** Whether it is as new as that. */
  public synchronized void knowsDmaBufs(boolean knows) {
    knowsDmaBufs = knows;
  }

  @Override
  public synchronized boolean knowsDmaBufs() {
    return knowsDmaBufs;
  }

  private long registered(String call, long pd, long address, long length, long iova, int access) {
    boolean isRight =
        (iova & SAME) == (address & SAME)
            && ((access & Ib.IBV_ACCESS_REMOTE_WRITE) == 0
                || (access & Ib.IBV_ACCESS_LOCAL_WRITE) != 0);
    return isRight
        ? made(
            FakeObject.Pd.class,
            pd,
            call,
            found -> {
              return books.add(
                      new FakeObject.Mr(arena, found, address, length, iova, access, nextKey()))
                  .address;
            })
        : -EINVAL;
  }

  /** The last one that has ended is the next one, as with ConnectX. */
  private int nextKey() {
    Integer ended = endedKeys.poll();
    return ended == null ? lastKey += KEY_STEP : ended;
  }

  @Override
  public synchronized int ibv_dereg_mr(long mr) {
    FakeObject.Mr ended = books.get(FakeObject.Mr.class, mr, "ibv_dereg_mr");
    int result = destroy(FakeObject.Mr.class, mr, "ibv_dereg_mr");
    if (ended != null && result == 0) {
      endedKeys.push(ended.lkey);
    }
    return result;
  }

  // ---- completions ----

  @Override
  public synchronized long ibv_create_comp_channel(long context) {
    return made(
        FakeContext.class,
        context,
        "ibv_create_comp_channel",
        found -> books.add(new FakeObject.Channel(arena, found)).address);
  }

  @Override
  public synchronized int ibv_destroy_comp_channel(long channel) {
    return destroy(FakeObject.Channel.class, channel, "ibv_destroy_comp_channel");
  }

  @Override
  public synchronized long ibv_create_cq(long context, int entries, long channel) {
    return made(
        FakeObject.Channel.class,
        channel,
        "ibv_create_cq",
        found ->
            isWithin(entries, found.context.device.limits.completions(), "completion queue")
                ? books.add(new FakeCompletionQueue(arena, found, entries)).address
                : -EINVAL);
  }

  @Override
  public synchronized int ibv_destroy_cq(long cq) {
    FakeCompletionQueue found = books.get(FakeCompletionQueue.class, cq, "ibv_destroy_cq");
    if (found != null && found.toBeAcknowledged > 0) {
      books.mistake("ibv_destroy_cq would wait for events to be acknowledged");
    }
    return found == null ? -EINVAL : destroy(FakeCompletionQueue.class, cq, "ibv_destroy_cq");
  }

  @Override
  public synchronized int ibv_poll_cq(long cq, int count, long wcs) {
    return with(FakeCompletionQueue.class, cq, "ibv_poll_cq", found -> found.poll(count, wcs));
  }

  @Override
  public synchronized int ibv_req_notify_cq(long cq) {
    return with(
        FakeCompletionQueue.class,
        cq,
        "ibv_req_notify_cq",
        found -> {
          found.arm();
          return 0;
        });
  }

  @Override
  public synchronized int ibv_get_cq_event(long channel, long cq, long cqContext) {
    return with(
        FakeObject.Channel.class,
        channel,
        "ibv_get_cq_event",
        found -> {
          AsyncEvent event = found.events.take();
          if (event == null) {
            return none(found.events, "ibv_get_cq_event");
          }
          Raw.putLong(cq, event.element());
          Raw.putLong(cqContext, 0);
          return with(
              FakeCompletionQueue.class,
              event.element(),
              "ibv_get_cq_event",
              of -> {
                of.toBeAcknowledged++;
                return 0;
              });
        });
  }

  private int none(FakeEvents events, String call) {
    if (events.blocks) {
      books.mistake(call + " would block");
    }
    return -EAGAIN;
  }

  @Override
  public synchronized void ibv_ack_cq_events(long cq, int count) {
    int ignored =
        with(
            FakeCompletionQueue.class,
            cq,
            "ibv_ack_cq_events",
            of -> {
              of.toBeAcknowledged -= count;
              return 0;
            });
  }

  // ---- queues ----

  /** Whether a device can make a queue of this many; who has asked it knows how many it can. */
  private boolean isWithin(int wanted, int most, String queue) {
    if (wanted > most) {
      books.mistake("a " + queue + " of " + wanted + ", where " + most + " are the most");
    }
    return wanted > 0 && wanted <= most;
  }

  @Override
  public synchronized long ibv_create_srq(long pd, long attr) {
    int most = Raw.getInt(IbLayout.SRQ_MAX_WR.in(attr));
    return made(
        FakeObject.Pd.class,
        pd,
        "ibv_create_srq",
        found ->
            isWithin(most, found.context.device.limits.receives(), "shared receive queue")
                ? books.add(new FakeObject.Srq(arena, found, most)).address
                : -EINVAL);
  }

  @Override
  public synchronized int ibv_destroy_srq(long srq) {
    return destroy(FakeObject.Srq.class, srq, "ibv_destroy_srq");
  }

  @Override
  public synchronized int ibv_post_srq_recv(long srq, long wr, long badWr) {
    return with(
        FakeObject.Srq.class,
        srq,
        "ibv_post_srq_recv",
        found -> {
          for (long next = wr; next != 0; next = Raw.getLong(IbLayout.RECV_NEXT.in(next))) {
            if (found.receives.size() == found.most) {
              books.mistake("an overrun of a shared receive queue of " + found.most);
              Raw.putLong(badWr, next);
              return -ENOMEM;
            }
            found.receives.add(Raw.getLong(IbLayout.RECV_ID.in(next)));
          }
          card.wake();
          return 0;
        });
  }

  /** How many queue pairs there are. */
  public synchronized int queuePairs() {
    return books.all(FakeQueuePair.class).size();
  }

  /** How many queue pairs there are by which a peer may write. */
  public synchronized long openToWrites() {
    return books.all(FakeQueuePair.class).stream().filter(FakeQueuePair::isOpenToWrites).count();
  }

  /** How many queue pairs were made so far. */
  public synchronized int made() {
    return made;
  }

  @Override
  public synchronized long ibv_create_qp(long pd, long attr) {
    made++;
    String call = "ibv_create_qp";
    long sends = Raw.getLong(IbLayout.INIT_SEND_CQ.in(attr));
    FakeCompletionQueue cq = books.get(FakeCompletionQueue.class, sends, call);
    long receives = Raw.getLong(IbLayout.INIT_SRQ.in(attr));
    FakeObject.Srq srq = receives == 0 ? null : books.get(FakeObject.Srq.class, receives, call);
    FakeObject.Pd found = books.get(FakeObject.Pd.class, pd, call);
    boolean isRight =
        cq != null
            && (srq != null || receives == 0)
            && found != null
            && Raw.getLong(IbLayout.INIT_RECV_CQ.in(attr)) == sends
            && Raw.getInt(IbLayout.INIT_TYPE.in(attr)) == Ib.IBV_QPT_RC
            && isWithin(
                Raw.getInt(IbLayout.INIT_MAX_SEND.in(attr)),
                found.context.device.limits.sends(),
                "send queue")
            && Raw.getInt(IbLayout.INIT_MAX_SEND_SGE.in(attr)) == 1;
    int inline = Raw.getInt(IbLayout.INIT_INLINE.in(attr));
    if (inline > mostInline && refusesMoreInline) {
      return -EINVAL;
    }
    Raw.putInt(IbLayout.INIT_INLINE.in(attr), Math.min(inline, mostInline));
    return isRight
        ? books.add(new FakeQueuePair(arena, card, found, cq, srq, ++lastNumber, attr)).address
        : -EINVAL;
  }

  @Override
  public synchronized int ibv_modify_qp(long qp, long attr, int mask) {
    return with(FakeQueuePair.class, qp, "ibv_modify_qp", found -> found.modify(attr, mask));
  }

  @Override
  public synchronized int ibv_destroy_qp(long qp) {
    int result = destroy(FakeQueuePair.class, qp, "ibv_destroy_qp");
    notifyAll(); // the card's thread ends with the last one
    return result;
  }

  @Override
  public synchronized int ibv_post_send(long qp, long wr, long badWr) {
    return with(
        FakeQueuePair.class,
        qp,
        "ibv_post_send",
        found -> {
          int result = found.post(wr, badWr);
          card.wake();
          return result;
        });
  }

  // ---- what devices say of themselves ----

  @Override
  public synchronized int ibv_get_async_event(long context, long event) {
    return with(
        FakeContext.class,
        context,
        "ibv_get_async_event",
        found -> {
          AsyncEvent next = found.events.take();
          if (next == null) {
            return none(found.events, "ibv_get_async_event");
          }
          Raw.putLong(IbLayout.EVENT_ELEMENT.in(event), next.element());
          Raw.putInt(IbLayout.EVENT_TYPE.in(event), next.type());
          toBeAcknowledged++;
          return 0;
        });
  }

  @Override
  public synchronized void ibv_ack_async_event(long event) {
    toBeAcknowledged--;
  }

  @Override
  public String ibv_wc_status_str(int status) {
    return switch (status) {
      case Ib.IBV_WC_SUCCESS -> "success";
      case Ib.IBV_WC_LOC_PROT_ERR -> "local protection error";
      case Ib.IBV_WC_WR_FLUSH_ERR -> "Work Request Flushed Error";
      case Ib.IBV_WC_REM_INV_REQ_ERR -> "remote invalid request error";
      case Ib.IBV_WC_REM_ACCESS_ERR -> "remote access error";
      case Ib.IBV_WC_RETRY_EXC_ERR -> "transport retry counter exceeded";
      default -> "unknown";
    };
  }

  @Override
  public String ibv_event_type_str(int type) {
    return type == Ib.IBV_EVENT_DEVICE_FATAL ? "local catastrophic error" : "event " + type;
  }

  @Override
  public synchronized int nonBlocking(int descriptor) {
    books.all(FakeContext.class).forEach(each -> unblock(each.events, descriptor));
    books.all(FakeObject.Channel.class).forEach(each -> unblock(each.events, descriptor));
    return 0;
  }

  private static void unblock(FakeEvents events, int descriptor) {
    if (events.descriptor() == descriptor) {
      events.blocks = false;
    }
  }
}
