package io.reactivetransfer.moe;

import io.reactivetransfer.EngineId;
import io.reactivetransfer.Peer;
import io.reactivetransfer.TransferEngine;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;

/**
 * The last epoch of each group that is over on an engine, and why: whoever joins it when others
 * have given it up already is told so. Epoch 0 may be joined again and again, and is not kept. Safe
 * from any thread.
 */
final class PastEpochs {

  /** To so many it tells something at once; who is not told now asks again. */
  private static final int MAX_TOLD = 64;

  /** Of how many groups it is kept; of more, those are forgotten that were over first. */
  private static final int MAX_GROUPS = 1_024;

  private final TransferEngine engine;
  private final Set<EngineId> told = new HashSet<>();
  private final Map<String, Past> byName = new LinkedHashMap<>();

  /**
   * One that is over.
   *
   * @param why as this rank has it from whoever has told it
   */
  private record Past(long epoch, int blamed, String why, Scheduler timers) {}

  PastEpochs(TransferEngine engine) {
    this.engine = engine;
  }

  /** A group is over, and all was given back. */
  synchronized void add(Group group) {
    GroupFailedException why = group.failure();
    Past before = byName.remove(group.id.name());
    Past past = before;
    if (why != null && group.id.epoch() > (before == null ? 0 : before.epoch())) {
      int blamed = why.rank().orElse(-1);
      past = new Past(group.id.epoch(), blamed, group.reason(), group.options.timers());
    }
    if (past != null) {
      byName.put(group.id.name(), past);
    }
    if (byName.size() > MAX_GROUPS) {
      byName.remove(byName.keySet().iterator().next());
    }
  }

  /** Why an epoch cannot be joined here any more, or null. */
  synchronized @Nullable String problem(GroupEpoch id) {
    Past past = byName.get(id.name());
    return past == null || past.epoch() < id.epoch()
        ? null
        : "expected an epoch above "
            + past.epoch()
            + ", which was the last of group "
            + id.shownName()
            + " on this engine, got "
            + id.epoch();
  }

  /** Tells who joins an epoch that is over, once at a time: one may live and read nothing. */
  void answer(Peer sender, MoeMessage.Join join) {
    Past past;
    synchronized (this) {
      past = byName.get(join.group().name());
    }
    if (past == null
        || past.epoch() < join.group().epoch()
        || !join.wantsAnswer()
        || !begins(sender)) {
      return;
    }
    boolean isThatOne = past.epoch() == join.group().epoch();
    MoeMessage answer =
        new MoeMessage.GiveUp(
            join.group(),
            isThatOne ? past.blamed() : join.rank(),
            join.imm(),
            isThatOne ? past.why() : String.valueOf(problem(join.group())));
    Listener.ofEnd(
        Mono.defer(() -> engine.send(sender, Mail.CHANNEL, MoeCodec.encode(answer)))
            .timeout(Mail.PATIENCE, past.timers()),
        () -> ends(sender),
        e -> ends(sender));
  }

  private synchronized boolean begins(Peer sender) {
    return told.size() < MAX_TOLD && told.add(sender.id());
  }

  private synchronized void ends(Peer sender) {
    told.remove(sender.id());
  }
}
