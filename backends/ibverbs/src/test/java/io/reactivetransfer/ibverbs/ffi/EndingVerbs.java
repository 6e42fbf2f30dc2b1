package io.reactivetransfer.ibverbs.ffi;

import io.reactivetransfer.ffm.ffi.Raw;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** A fake that notes how queue pairs are ended, and makes that hard where a test says so. */
public final class EndingVerbs extends FakeVerbs {

  /** A queue pair was to be put into the state of error. */
  public static final String STOP = "stop";

  /** A queue pair was to be destroyed. */
  public static final String DESTROY = "destroy";

  private static final int ENOMEM = 12;
  private static final int EBUSY = 16;

  private final Map<Long, List<String>> steps = new LinkedHashMap<>();
  private final Map<Long, Long> stoppedNanos = new HashMap<>();
  private final List<Long> waits = new ArrayList<>();
  private final Set<Long> made = new HashSet<>();
  private final Set<Long> kept = new HashSet<>();
  private int refusedStops;
  private boolean saysNoLast;
  private boolean withholds;

  /** With two devices. */
  public EndingVerbs() {
    super(2);
  }

  /** For each queue pair that was to be ended the steps that were tried, in their order. */
  public synchronized List<List<String>> steps() {
    return steps.values().stream().map(List::copyOf).toList();
  }

  /** How long each queue pair that receives was kept when it had been stopped, in nanoseconds. */
  public synchronized List<Long> waits() {
    return List.copyOf(waits);
  }

  /** Of each queue pair the first tries of stopping it fail, so many. */
  public synchronized void refuseStops(int times) {
    refusedStops = times;
  }

  /** The queue pairs that there are cannot be destroyed. */
  public synchronized void keepThoseThatThereAre() {
    kept.addAll(made);
  }

  /** All of them can be. */
  public synchronized void letGo() {
    kept.clear();
  }

  /** Devices do not say that a queue pair takes no more receives, as software may not. */
  public synchronized void sayNoLast() {
    saysNoLast = true;
  }

  /** What is complete is still on its way into the completion queue, until it is let in. */
  public synchronized void withhold(boolean withholds) {
    this.withholds = withholds;
  }

  private List<String> stepsOf(long qp) {
    return steps.computeIfAbsent(qp, each -> new ArrayList<>());
  }

  @Override
  public synchronized long ibv_create_qp(long pd, long attr) {
    long qp = super.ibv_create_qp(pd, attr);
    made.add(qp);
    return qp;
  }

  @Override
  public synchronized int ibv_modify_qp(long qp, long attr, int mask) {
    if (mask != Ib.IBV_QP_STATE) {
      return super.ibv_modify_qp(qp, attr, mask);
    }
    stepsOf(qp).add(STOP);
    if (stepsOf(qp).size() <= refusedStops) {
      return -ENOMEM;
    }
    int result = super.ibv_modify_qp(qp, attr, mask);
    stoppedNanos.put(qp, System.nanoTime());
    return result;
  }

  @Override
  public synchronized int ibv_destroy_qp(long qp) {
    stepsOf(qp).add(DESTROY);
    if (kept.contains(qp)) {
      return -EBUSY;
    }
    long now = System.nanoTime();
    long open = openToWrites();
    int result = super.ibv_destroy_qp(qp);
    if (openToWrites() < open && stoppedNanos.containsKey(qp)) {
      waits.add(now - stoppedNanos.get(qp));
    }
    return result;
  }

  @Override
  public synchronized int ibv_poll_cq(long cq, int count, long wcs) {
    return withholds ? 0 : super.ibv_poll_cq(cq, count, wcs);
  }

  @Override
  public synchronized int ibv_get_async_event(long context, long event) {
    int result = super.ibv_get_async_event(context, event);
    while (saysNoLast
        && result == 0
        && Raw.getInt(IbLayout.EVENT_TYPE.in(event)) == Ib.IBV_EVENT_QP_LAST_WQE_REACHED) {
      ibv_ack_async_event(event);
      result = super.ibv_get_async_event(context, event);
    }
    return result;
  }
}
