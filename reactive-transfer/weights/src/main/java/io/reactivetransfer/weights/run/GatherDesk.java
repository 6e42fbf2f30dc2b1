package io.reactivetransfer.weights.run;

import io.reactivetransfer.EngineId;
import io.reactivetransfer.Imm;
import io.reactivetransfer.ImmLease;
import io.reactivetransfer.MemoryRegion;
import io.reactivetransfer.Message;
import io.reactivetransfer.MessageChannel;
import io.reactivetransfer.Peer;
import io.reactivetransfer.PeerState;
import io.reactivetransfer.PeerUnreachableException;
import io.reactivetransfer.TransferException;
import io.reactivetransfer.TransferFailedException;
import io.reactivetransfer.TransferRejectedException;
import io.reactivetransfer.weights.plan.Step;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.SequencedMap;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscription;
import reactor.core.Disposable;
import reactor.core.Disposables;
import reactor.core.publisher.BaseSubscriber;
import reactor.core.publisher.Mono;
import reactor.util.Logger;
import reactor.util.Loggers;

/**
 * Agrees with the other ranks of the trainer on what is gathered where and when. Who gathers asks,
 * at the beginning of a run; who prepares answers each step when that has room. So nothing is
 * written to a temporary that is in use, and a rank that has not begun is waited for.
 */
final class GatherDesk implements Gathering {

  static final MessageChannel CHANNEL = new MessageChannel(19);

  private static final Logger LOG = Loggers.getLogger(GatherDesk.class);

  /** Updates that this rank has ended and still knows. */
  private static final int MAX_ENDED = 16;

  private final Trainer trainer;
  private final @Nullable MemoryRegion temporaries;
  private final List<Peer> others;
  private final Map<EngineId, Integer> ranks = new HashMap<>();
  private final Map<Long, StepState> prepared = new HashMap<>();
  private final Map<Long, GatherStep> gathered = new HashMap<>();
  private final Inbox inbox = new Inbox();

  // Guarded by this.
  private final Ahead<Set<Long>> asked = new Ahead<>();
  private final Ahead<TransferException> endedByOthers = new Ahead<>();
  private final SequencedMap<Long, String> ended = new LinkedHashMap<>();

  /** Who has asked for which step of the current run. */
  private final Map<Long, Set<Peer>> asking = new HashMap<>();

  private final Map<EngineId, RemoteTemporaries> remote = new HashMap<>();
  private final Set<Peer> told = new HashSet<>();
  private final Set<Long> open = new HashSet<>();
  private @Nullable Run current;
  private @Nullable ImmLease lease;
  private @Nullable Throwable closed;
  private Disposable.Composite ofRun = Disposables.composite();

  private GatherDesk(Trainer trainer, @Nullable MemoryRegion temporaries) {
    this.trainer = trainer;
    this.temporaries = temporaries;
    this.others = trainer.others();
    for (int i = 0; i < trainer.options.trainers().size(); i++) {
      ranks.put(trainer.options.trainers().get(i).engine(), i);
    }
    for (StepState state : trainer.steps) {
      if (state.gatherIndex >= 0) {
        prepared.put(state.step.order(), state);
      } else if (state.step instanceof Step.Gather gather) {
        gathered.put(gather.order(), new GatherStep(trainer, state, gather, temporaries));
      }
    }
  }

  static GatherDesk open(Trainer trainer, @Nullable MemoryRegion temporaries) {
    GatherDesk desk = new GatherDesk(trainer, temporaries);
    desk.renewLease();
    trainer.engine.messages(CHANNEL).subscribe(desk.inbox);
    desk.requireOpen();
    return desk;
  }

  /** Refuses what would never hear of the others. */
  private void requireOpen() {
    Throwable why;
    ImmLease counted;
    synchronized (this) {
      why = closed;
      counted = lease;
    }
    if (why == null) {
      return;
    }
    if (counted != null) {
      counted.close();
    }
    throw new IllegalStateException(
        "expected an open engine with no other rank of a trainer that needs others, which reads"
            + " message channel "
            + CHANNEL.number()
            + ", got: "
            + why.getMessage(),
        why);
  }

  private synchronized void renewLease() {
    if (!prepared.isEmpty()) {
      lease = trainer.engine.lease(prepared.size());
    }
  }

  // This rank gathers

  @Override
  public void begin(Run run) {
    Throwable why;
    Disposable.Composite lost = Disposables.composite();
    synchronized (this) {
      current = run;
      ofRun = lost;
      told.clear();
      open.clear();
      asking.clear();
      asked
          .remove(run.number())
          .forEach((rank, steps) -> steps.forEach(step -> askersOf(step).add(rank)));
      why = closed;
      for (TransferException ofOther : endedByOthers.remove(run.number()).values()) {
        why = why == null ? ofOther : why;
      }
    }
    if (why != null) {
      run.fail(why);
      return;
    }
    int most = GatherCodec.stepsOfOneMessage(trainer.engine.options().maxMessageBytes());
    Map<Integer, List<GatherStep>> ofPreparer = new HashMap<>();
    for (GatherStep step : gathered.values()) {
      ofPreparer.computeIfAbsent(step.gather.preparer(), rank -> new ArrayList<>()).add(step);
    }
    ofPreparer.forEach((rank, steps) -> {
      Peer preparer = trainer.engine.peer(trainer.options.trainers().get(rank));
      lost.add(
          preparer
              .state()
              .skip(1) // how it was before this run
              .filter(PeerState.Lost.class::isInstance)
              .subscribe(state -> run.fail(lost(preparer)), run::fail));
      for (int i = 0; i < steps.size(); i += most) {
        List<GatherMessage.AskedStep> some =
            steps.subList(i, Math.min(steps.size(), i + most)).stream()
                .map(GatherStep::asked)
                .toList();
        send(run, preparer, new GatherMessage.Ask(run.number(), some));
      }
    });
  }

  private TransferException lost(Peer peer) {
    return new PeerUnreachableException(
        name(peer) + " was lost, which prepares what " + trainer.name() + " gathers",
        TransferException.Origin.peer(peer.id()),
        null);
  }

  @Override
  public void load(StepState step) {
    GatherStep one = gathered.get(step.step.order());
    if (one != null) {
      one.load();
    }
  }

  private void granted(Peer sender, GatherMessage.Grant grant) {
    GatherStep step = gathered.get(grant.order());
    Run run;
    RemoteTemporaries there;
    synchronized (this) {
      run = current;
      there = remote.get(sender.id());
    }
    if (run == null || run.number() != grant.update() || step == null) {
      return; // of a run that is over
    }
    if (there == null || rankOf(sender) != step.gather.preparer()) {
      run.fail(refused(sender, "it granted a step that is not its own, " + grant));
      return;
    }
    try {
      Imm imm = Imm.of(grant.imm());
      run.granted(step.state, () -> step.writes(there.region(), grant.offset(), imm));
    } catch (RuntimeException bad) {
      run.fail(refused(sender, "it granted what has no room, " + grant + ": " + bad.getMessage()));
    }
  }

  // This rank prepares

  @Override
  public void open(Run run, StepState step) {
    List<Peer> askers;
    ImmLease counted;
    Disposable.Composite claims;
    synchronized (this) {
      if (current != run) {
        return; // it has failed meanwhile, and the room may be another run's
      }
      counted = lease;
      claims = ofRun;
    }
    if (counted == null) {
      run.fail(new IllegalStateException("expected immediates that are leased"));
      return;
    }
    long writes = ((Step.Prepare) step.step).gatherWrites();
    claims.add(
        counted
            .counter(step.gatherIndex)
            .boundTo(others)
            .next(writes)
            .subscribe(null, run::fail, () -> run.gathered(step)));
    synchronized (this) {
      if (current != run) {
        return; // its claims are disposed of, also those that are added later
      }
      open.add(step.step.order());
      Set<Peer> waiting = asking.get(step.step.order());
      askers = waiting == null ? List.of() : List.copyOf(waiting);
    }
    askers.forEach(asker -> grant(run, asker, step));
  }

  private Set<Peer> askersOf(long step) {
    return asking.computeIfAbsent(step, order -> new LinkedHashSet<>());
  }

  private void grant(Run run, Peer to, StepState step) {
    MemoryRegion region = temporaries;
    ImmLease counted;
    boolean knows;
    synchronized (this) {
      counted = lease;
      knows = told.contains(to);
    }
    if (region == null || counted == null) {
      return;
    }
    if (!knows) {
      // Two threads may grant at once: it hears this twice then, but from neither a grant before.
      send(run, to, new GatherMessage.Temporaries(run.number(), region.descriptor()));
      synchronized (this) {
        if (current == run) { // else the next one has to tell it anew
          told.add(to);
        }
      }
    }
    int imm = counted.imm(step.gatherIndex).value();
    send(run, to, new GatherMessage.Grant(run.number(), step.step.order(), step.offset, imm));
  }

  private void asked(Peer sender, GatherMessage.Ask ask) {
    Run run;
    String over;
    List<StepState> grants = new ArrayList<>();
    String wrong = wrong(ask);
    synchronized (this) {
      run = current != null && current.number() == ask.update() ? current : null;
      over = wrong != null ? wrong : ended.get(ask.update());
      if (over == null && run == null) {
        Set<Long> steps = asked.of(sender, ask.update(), HashSet::new);
        ask.steps().forEach(step -> steps.add(step.order()));
      } else if (over == null) {
        for (GatherMessage.AskedStep step : ask.steps()) {
          askersOf(step.order()).add(sender);
          if (open.contains(step.order())) {
            grants.add(prepared.get(step.order()));
          }
        }
      }
    }
    if (over != null) {
      say(sender, new GatherMessage.Failed(ask.update(), over));
      if (wrong != null && run != null) {
        run.fail(refused(sender, wrong));
      }
    }
    if (run != null) {
      for (StepState step : grants) {
        grant(run, sender, step);
      }
    }
  }

  /** What of a question does not fit the table of this rank; null if it does. */
  private @Nullable String wrong(GatherMessage.Ask ask) {
    for (GatherMessage.AskedStep step : ask.steps()) {
      StepState known = prepared.get(step.order());
      if (known == null || ((Step.Prepare) known.step).gatherBytes() != step.bytes()) {
        return "expected the same table at both, got a question for step "
            + step.order()
            + " of "
            + step.bytes()
            + " bytes";
      }
    }
    return null;
  }

  // Ends

  @Override
  public void failed(Run run, Throwable why) {
    String text = trainer.name() + ": " + why;
    Set<Peer> waiting = new LinkedHashSet<>();
    synchronized (this) {
      ended.put(run.number(), text);
      if (ended.size() > MAX_ENDED) {
        ended.pollFirstEntry();
      }
      waiting.addAll(asked.remove(run.number()).keySet());
      if (current == run) {
        asking.values().forEach(waiting::addAll);
        asking.clear();
      }
    }
    if (trainer.options.groupsInTurn()) {
      waiting.addAll(others); // at the next barrier
    }
    for (GatherStep step : gathered.values()) {
      waiting.add(trainer.engine.peer(trainer.options.trainers().get(step.gather.preparer())));
    }
    waiting.forEach(peer -> say(peer, new GatherMessage.Failed(run.number(), text)));
  }

  private void endedByOther(Peer sender, GatherMessage.Failed failed) {
    if (rankOf(sender) < 0) {
      return;
    }
    TransferException why = refused(sender, failed.why());
    Run run;
    synchronized (this) {
      run = current;
      if (run == null || run.number() != failed.update()) {
        endedByOthers.of(sender, failed.update(), () -> why);
        return;
      }
    }
    run.fail(why);
  }

  @Override
  public Mono<Void> end(Run run, boolean hasFailed) {
    ImmLease counted;
    synchronized (this) {
      current = null;
      asking.clear();
      asked.remove(run.number());
      ofRun.dispose();
      counted = lease;
    }
    MemoryRegion region = temporaries;
    if (!hasFailed || region == null || counted == null) {
      return Mono.empty();
    }
    // Others may have begun to write here: after this, nothing of that comes any more.
    return region
        .revoke()
        .then(
            Mono.fromRunnable(() -> {
              counted.close();
              renewLease();
            }));
  }

  @Override
  public Mono<Void> close() {
    return Mono.fromRunnable(() -> {
      inbox.dispose();
      ImmLease counted;
      synchronized (this) {
        counted = lease;
        lease = null;
      }
      if (counted != null) {
        counted.close();
      }
    });
  }

  // Messages

  private int rankOf(Peer peer) {
    return ranks.getOrDefault(peer.id(), -1);
  }

  private String name(Peer peer) {
    int rank = rankOf(peer);
    return rank < 0
        ? "engine " + peer.address()
        : "trainer " + trainer.table.sources().get(rank).name();
  }

  private TransferException refused(Peer sender, String why) {
    return new TransferFailedException(
        name(sender) + " has ended the update: " + why,
        TransferException.Origin.peer(sender.id()),
        null);
  }

  private void send(Run run, Peer to, GatherMessage message) {
    sent(to, GatherCodec.encode(message)).subscribe(null, run::fail);
  }

  /**
   * As much of the reason as a message takes; without it if the peer takes less than this engine.
   * Whoever does not hear it hears of the loss, or misses the deadline.
   */
  private void say(Peer to, GatherMessage.Failed message) {
    int most = GatherCodec.textOfOneMessage(trainer.engine.options().maxMessageBytes());
    sent(to, GatherCodec.encode(message, most))
        .onErrorResume(
            TransferRejectedException.class, tooLong -> sent(to, GatherCodec.encode(message, 0)))
        .subscribe(null, why -> LOG.debug("not said to {}: {}", to.address(), why.toString()));
  }

  /** An engine throws at once if a message is too long: that is a failure like others. */
  private Mono<Void> sent(Peer to, ByteBuffer message) {
    return Mono.defer(() -> trainer.engine.send(to, CHANNEL, message));
  }

  private void received(Peer sender, GatherMessage message) {
    if (rankOf(sender) < 0) {
      LOG.debug("dropped what {} says, which is no rank of the trainer", sender.address());
      return;
    }
    switch (message) {
      case GatherMessage.Ask ask -> asked(sender, ask);
      case GatherMessage.Grant grant -> granted(sender, grant);
      case GatherMessage.Failed failed -> endedByOther(sender, failed);
      case GatherMessage.Temporaries one -> {
        if (!one.descriptor().owner().engine().equals(sender.id())) {
          LOG.debug("dropped memory that {} has named, which is not its own", sender.address());
          return;
        }
        synchronized (this) {
          if (current == null || current.number() != one.update()) {
            return; // of a run that is over, whose key may be an older one
          }
          RemoteTemporaries before = remote.get(sender.id());
          if (before == null || !before.region().descriptor().equals(one.descriptor())) {
            remote.put(sender.id(), new RemoteTemporaries(trainer.engine.remote(one.descriptor())));
          }
        }
      }
    }
  }

  private final class Inbox extends BaseSubscriber<Message> {

    @Override
    protected void hookOnSubscribe(Subscription subscription) {
      requestUnbounded();
    }

    @Override
    protected void hookOnNext(Message message) {
      try {
        received(message.sender(), GatherCodec.decode(message.bytes()));
      } catch (RuntimeException bad) {
        LOG.debug("dropped a message of {}: {}", message.sender().address(), bad.getMessage());
      }
    }

    @Override
    protected void hookOnError(Throwable why) {
      over(why);
    }

    @Override
    protected void hookOnComplete() {
      over(new TransferFailedException("the engine of " + trainer.name() + " is closed"));
    }

    private void over(Throwable why) {
      Run run;
      synchronized (GatherDesk.this) {
        closed = why;
        run = current;
      }
      if (run != null) {
        run.fail(why);
      }
    }
  }
}
