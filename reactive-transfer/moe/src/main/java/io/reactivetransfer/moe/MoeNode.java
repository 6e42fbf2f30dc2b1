package io.reactivetransfer.moe;

import io.reactivetransfer.DeviceMemory;
import io.reactivetransfer.HostMemory;
import io.reactivetransfer.ImmLease;
import io.reactivetransfer.MemoryRegion;
import io.reactivetransfer.Message;
import io.reactivetransfer.Peer;
import io.reactivetransfer.PeerAddress;
import io.reactivetransfer.TransferEngine;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;
import reactor.core.publisher.MonoSink;
import reactor.util.Logger;
import reactor.util.Loggers;

/**
 * The part of an engine that groups of experts use: its message channel 25. One for each engine,
 * for as many groups as it takes part in. Safe from any thread.
 */
public final class MoeNode {

  private static final Logger LOG = Loggers.getLogger(MoeNode.class);

  private static final String CLOSED =
      "expected an engine and a node that are open, got one that has closed";

  private final TransferEngine engine;
  private final Map<GroupEpoch, Joined> groups = new ConcurrentHashMap<>();

  /** Joins that have no group so far. */
  private final Set<Registering> registering = ConcurrentHashMap.newKeySet();

  private final Claims claims = new Claims();
  private final PastEpochs past;
  private final Listener<Message> messages;
  private volatile boolean isClosed;

  /** Why no messages can be read, where that is not an end of the engine. */
  private volatile @Nullable IllegalStateException unreadable;

  /** A group that this engine takes part in, or is joining. */
  private record Joined(Group group, Joining joining) {}

  private MoeNode(TransferEngine engine) {
    this.engine = engine;
    this.past = new PastEpochs(engine);
    this.messages =
        Listener.of(
            engine.messages(Mail.CHANNEL),
            this::received,
            this::ended,
            e -> {
              if (e instanceof IllegalStateException another) {
                unreadable = another;
              }
              LOG.debug("reads no messages of experts any more: {}", e.toString());
              ended();
            });
  }

  /**
   * Begins to read messages of groups. The engine stays the caller's. Keep the node: it is what
   * joins, and closes all that was joined.
   *
   * @param engine on which nobody else reads channel 25, no other node either: joins of a second
   *     one fail
   * @throws IllegalArgumentException if the system property {@code reactivetransfer.vectors} is
   *     neither {@code auto} nor {@code off}
   */
  public static MoeNode open(TransferEngine engine) {
    Vectors.requireKnown();
    return new MoeNode(Objects.requireNonNull(engine, "engine"));
  }

  /**
   * Joins a group: registers the memory, tells all other ranks where it is, and emits the group
   * when all of them have joined. The work starts with the subscription, which is for one group
   * each. Fails with {@link GroupFailedException} and the rank that is the reason if not all ranks
   * join in time, one is lost or gives up, or they do not agree on the shape or on who they are;
   * with {@link IllegalStateException} if this node is closed, the name is in use on it or was in a
   * later epoch, or another group of this node uses some of the memory, the arrival flags or the
   * memory for experts, which {@link MoeGroup#close()} ends; with what the engine says if it cannot
   * register or lease. What was registered was given back before. Cancelling tells the others, and
   * gives it back, too: without a signal, so the memory may be used otherwise when {@link #close()}
   * has completed; another join on this node waits for it by itself. Signals on whatever thread the
   * last rank was heard.
   *
   * <p>This is the same as to join epoch 0 of it.
   *
   * @param name of the group, the same on all ranks, 1 to 255 bytes of UTF-8, so without halves of
   *     surrogate pairs; another one than those that this engine is in
   * @param shape the same on all ranks
   * @param ranks all engines in the order of the ranks, this one included
   * @param memory at least {@code shape.memory(rank).bytes()} of native memory, at an address that
   *     {@link MoeMemory#ALIGNMENT} divides; stays the caller's, who keeps it until the group has
   *     closed
   * @throws IllegalArgumentException if one of these is something else
   */
  public Mono<MoeGroup> join(
      String name,
      MoeShape shape,
      List<PeerAddress> ranks,
      MemorySegment memory,
      MoeOptions options) {
    return join(name, 0, shape, ranks, memory, options);
  }

  /**
   * Joins a group in one of its epochs: that of a name, and of those that are its ranks at that
   * time. For a rank that comes to a group that there is already, a new one or one that was
   * restarted, while those that are in it {@linkplain MoeGroup#regroup regroup} with it. All else
   * is as for {@link #join(String, MoeShape, List, MemorySegment, MoeOptions)}.
   *
   * <p>All ranks name the same epoch, ranks and shape. Whoever names an earlier epoch than another
   * rank fails with what was expected and what came, as soon as one of them hears of the other;
   * whoever names the latest waits for those behind until {@link MoeOptions#joinDeadline()}.
   * Nothing that is written or said in one epoch is seen in another.
   *
   * <p>A group that this engine is in goes on: a later epoch of its name is joined when it is over,
   * closes, or another rank has left it, and fails with {@link IllegalStateException} before. So
   * does one that is joined while the join of another epoch of its name is under way: cancel that
   * first.
   *
   * @param epoch 0 or more, and greater than that of any group of this name that this engine is in,
   *     or has been in if that was above 0. Whoever decides who the ranks are decides on it: each
   *     try takes a greater one, since one that has failed for some is over for all, who are told
   *     so when they join it
   */
  public Mono<MoeGroup> join(
      String name,
      long epoch,
      MoeShape shape,
      List<PeerAddress> ranks,
      MemorySegment memory,
      MoeOptions options) {
    Objects.requireNonNull(name, "name");
    Objects.requireNonNull(shape, "shape");
    Objects.requireNonNull(ranks, "ranks");
    Objects.requireNonNull(memory, "memory");
    Objects.requireNonNull(options, "options");
    if (!Texts.isValid(name)) {
      throw new IllegalArgumentException(
          "expected a name that is valid UTF-16, got "
              + Texts.oneLine(name)
              + ", in which a surrogate has no other half");
    }
    int bytes = name.getBytes(StandardCharsets.UTF_8).length;
    Checks.between("bytes of a name", bytes, 1, MoeMessage.MAX_NAME_BYTES);
    if (epoch < 0) {
      throw new IllegalArgumentException("expected an epoch of 0 or more, got " + epoch);
    }
    if (ranks.size() != shape.ranks()) {
      throw new IllegalArgumentException(
          "expected the addresses of " + shape.ranks() + " ranks, got " + ranks.size());
    }
    for (int i = 0; i < ranks.size(); i++) {
      Objects.requireNonNull(ranks.get(i), "ranks[" + i + "]");
    }
    List<PeerAddress> all = List.copyOf(ranks);
    Freed.require("sections", memory);
    int rank = new Ranks(engine, all).own();
    long needed = shape.memory(rank).bytes();
    if (memory.byteSize() < needed || memory.address() % MoeMemory.ALIGNMENT != 0) {
      throw new IllegalArgumentException(
          "expected memory of at least "
              + needed
              + " bytes at a multiple of "
              + MoeMemory.ALIGNMENT
              + " for rank "
              + rank
              + ", got "
              + memory.byteSize()
              + " bytes at "
              + memory.address());
    }
    Flags.requireRoom(options.arrivalFlags(), shape.lanes());
    DeviceRows devices = new DeviceRows();
    requireExpertMemory(devices, options.expertMemory(), shape, shape.memory(rank));
    HostMemory own = new HostMemory(memory.asSlice(0, needed));
    Mono<MemoryRegion> registration = engine.register(own.segment());
    GroupEpoch id = new GroupEpoch(name, epoch);
    List<Claim.Part> parts = Claim.parts(own, shape.memory(rank), options, shape.lanes());
    return Mono.create(sink -> {
      Registering under = new Registering(sink, registering);
      Claim claim = new Claim(id, parts, under::isCancelled);
      claim(
          claim,
          under,
          () ->
              under.begin(
                  registration,
                  region ->
                      begin(
                          claim,
                          shape,
                          new Ranks(engine, all),
                          region,
                          options,
                          devices,
                          under,
                          sink)));
    });
  }

  /** Goes on when the name and the memory are this join's. */
  private void claim(Claim claim, Registering under, Runnable then) {
    if (isClosed || under.isCancelled()) {
      under.fail(new IllegalStateException(closed()));
      return;
    }
    Claim ending;
    try {
      ending = claims.take(claim);
    } catch (IllegalStateException e) {
      under.fail(e);
      return;
    }
    if (ending != null) {
      Runnable again = () -> claim(claim, under, then);
      Listener.ofEnd(ending.released(), again, e -> again.run());
      return;
    }
    under.whenNothingIsLeft(() -> claims.release(claim));
    String problem = past.problem(claim.id);
    if (problem != null) {
      under.fail(new IllegalStateException(problem));
      return;
    }
    then.run();
  }

  private static void requireExpertMemory(
      DeviceRows devices, @Nullable DeviceMemory given, MoeShape shape, MoeMemory needed) {
    if (given == null) {
      return;
    }
    if (shape.isInPlace()) {
      throw new IllegalArgumentException(
          "expected experts that compute in memory of the host, as the shape is in place, got some"
              + " on "
              + given.device());
    }
    if (given.length() < needed.expertBytes()) {
      throw new IllegalArgumentException(
          "expected memory of at least "
              + needed.expertBytes()
              + " bytes for the experts of rank "
              + needed.rank()
              + ", got "
              + given.length()
              + " of "
              + given.device());
    }
    devices.require("memory for experts", given);
  }

  /** Has a group take the memory over; what this throws leaves it to the caller. */
  private void begin(
      Claim claim,
      MoeShape shape,
      Ranks ranks,
      MemoryRegion region,
      MoeOptions options,
      DeviceRows devices,
      Registering under,
      MonoSink<MoeGroup> sink) {
    GroupEpoch id = claim.id;
    ImmLease lease = engine.lease(shape.lanes() * Ranks.IMMS_PER_LANE);
    Group group;
    try {
      group =
          new Group(
              engine,
              id,
              shape,
              options,
              ranks,
              region,
              devices,
              lease,
              ended -> over(claim, ended));
    } catch (RuntimeException | Error e) { // such as of flags that were freed meanwhile
      lease.close();
      throw e;
    }
    Half<MoeGroup> half = new SinkHalf<>(group, sink);
    Joining joining = new Joining(group, half, this);
    if (isOver()) {
      lease.close();
      throw new IllegalStateException(closed());
    }
    claim.has(group);
    groups.put(id, new Joined(group, joining)); // from now on messages are for it, too
    if (!isOver()) {
      under.end(null); // whoever closes the node from now on finds the group
    }
    group.turns.run(() -> {
      group.whenQuiet(() -> failedToJoin(group, half)); // first, whatever becomes of the beginning
      joining.begin();
    });
    under.onCancel(() ->
        group.turns.run(() -> {
          // Also when all had joined, and nobody was there any more to take the group.
          group.fail(ranks.own(), "was cancelled while it joined", null, true);
          half.end();
          group.release.giveBack(e -> {});
        }));
    if (isOver()) {
      // Whoever has closed this node or the engine meanwhile may not have seen the group.
      group.turns.run(group.release::close);
      Listener.ofEnd(group.release.closed(), () -> under.end(null), under::end);
    }
  }

  private void over(Claim claim, Group group) {
    past.add(group); // before it is looked for in vain
    groups.remove(claim.id);
    claims.release(claim);
  }

  private boolean isOver() {
    return isClosed || messages.isDisposed();
  }

  private String closed() {
    IllegalStateException why = unreadable;
    return why == null || isClosed
        ? CLOSED
        : "expected one MoeNode on this engine, got another one that reads its messages already, or"
            + " did: "
            + why.getMessage();
  }

  /** Waits for a failure, and has no part in it if it comes when all had joined. */
  private static void failedToJoin(Group group, Half<MoeGroup> half) {
    GroupFailedException why = group.failure();
    if (why != null && !half.isOver()) {
      group.release.giveBack(e -> {
        if (e != null) {
          why.addSuppressed(e);
        }
        half.fail(why);
      });
    }
  }

  private void received(Message message) {
    MoeMessage said;
    try {
      said = MoeCodec.decode(message.bytes());
    } catch (MoeFormatException e) {
      LOG.debug("dropped a message of {}: {}", message.sender().address(), e.getMessage());
      return;
    }
    Joined joined = groups.get(said.group());
    if (joined != null) {
      joined.group().turns.run(() -> received(joined, message.sender(), said));
    } else if (said instanceof MoeMessage.Join join) {
      Joined other = latest(join.group().name());
      if (other == null) {
        past.answer(message.sender(), join);
      } else if (other.group().id.equals(said.group())) {
        // It was joined here between the two looks.
        other.group().turns.run(() -> received(other, message.sender(), said));
      } else {
        other.group().turns.run(() -> other.joining().heardOfOtherEpoch(message.sender(), join));
      }
    }
    // All else is about a group that is over, or that this rank has not joined yet.
  }

  /** The last epoch of a group that this engine is in. */
  private @Nullable Joined latest(String name) {
    Joined latest = null;
    for (Map.Entry<GroupEpoch, Joined> entry : groups.entrySet()) {
      if (entry.getKey().name().equals(name)
          && (latest == null || latest.group().id.epoch() < entry.getKey().epoch())) {
        latest = entry.getValue();
      }
    }
    return latest;
  }

  private static void received(Joined joined, Peer sender, MoeMessage said) {
    Group group = joined.group();
    int rank = group.ranks.of(sender.id());
    if (rank < 0 && said instanceof MoeMessage.Join join) {
      joined.joining().heardStranger(sender, join);
    }
    if (rank < 0 || rank == group.ranks.own()) {
      return;
    }
    switch (said) {
      case MoeMessage.Join join -> joined.joining().heard(rank, join);
      case MoeMessage.GiveUp giveUp -> {
        // Before it has joined, too; unless it is about an earlier group that is named the same.
        if (giveUp.to() == MoeMessage.NOT_HEARD || giveUp.to() == group.lease.imm(0).value()) {
          group.departures.gaveUp(rank, giveUp);
        }
      }
      case MoeMessage.Leave leave -> {
        if (group.ranks.hasJoined(rank)) {
          group.departures.left(rank, leave.steps());
        }
      }
      case MoeMessage.Ask ask -> group.lateness.asked(rank, ask.lane());
      case MoeMessage.Tell tell -> group.lateness.told(rank, tell.lane(), tell.progress());
    }
  }

  private void ended() {
    groups.values().forEach(joined -> joined.group().turns.run(joined.group()::engineClosed));
  }

  /**
   * Closes all groups that this engine is in, ends all joins, and reads no more messages. Completes
   * when nothing of them touches memory any more; the engine goes on. Cancelling drops the signal.
   */
  public Mono<Void> close() {
    return Mono.defer(() -> {
      isClosed = true;
      List<Mono<Void>> ends = new ArrayList<>();
      // These first: who has its memory by now is among the groups.
      registering.forEach(join -> ends.add(join.ended()));
      for (Joined joined : groups.values()) {
        Group group = joined.group();
        group.turns.run(group.release::close);
        ends.add(group.release.closed());
      }
      Mono<Void> all = Mono.whenDelayError(ends);
      // Whoever cancels has dropped the signal, and the groups have to hear others until they end.
      var _ = Listener.ofEnd(all, messages::dispose, why -> messages.dispose());
      return all;
    });
  }
}
