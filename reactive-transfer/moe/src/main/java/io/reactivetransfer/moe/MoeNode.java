package io.reactivetransfer.moe;

import io.reactivetransfer.HostMemory;
import io.reactivetransfer.ImmLease;
import io.reactivetransfer.MemoryRegion;
import io.reactivetransfer.Message;
import io.reactivetransfer.Peer;
import io.reactivetransfer.PeerAddress;
import io.reactivetransfer.TransferEngine;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
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

  private final TransferEngine engine;
  private final Map<String, Joined> groups = new ConcurrentHashMap<>();
  private final Listener<Message> messages;

  /** A group that this engine takes part in, or is joining. */
  private record Joined(Group group, Joining joining) {}

  private MoeNode(TransferEngine engine) {
    this.engine = engine;
    this.messages =
        Listener.of(
            engine.messages(Mail.CHANNEL),
            this::received,
            this::ended,
            e -> {
              LOG.debug("reads no messages of experts any more: {}", e.toString());
              ended();
            });
  }

  /**
   * Begins to read messages of groups. The engine stays the caller's.
   *
   * @param engine on which nobody else reads channel 25
   */
  public static MoeNode open(TransferEngine engine) {
    return new MoeNode(Objects.requireNonNull(engine, "engine"));
  }

  /**
   * Joins a group: registers the memory, tells all other ranks where it is, and emits the group
   * when all of them have joined. The work starts with the subscription, which is for one group
   * each. Fails with {@link GroupFailedException} if not all ranks join in time, or they do not
   * agree on the shape or on who they are; then what was registered was given back. Cancelling does
   * the same. Signals on whatever thread the last rank was heard.
   *
   * @param name of the group, the same on all ranks, 1 to 255 bytes of UTF-8; another one than
   *     those that this engine is in. A group that follows on one that has ended should have a name
   *     of its own, such as one with a number
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
    Objects.requireNonNull(name, "name");
    Objects.requireNonNull(shape, "shape");
    Objects.requireNonNull(memory, "memory");
    Objects.requireNonNull(options, "options");
    int bytes = name.getBytes(StandardCharsets.UTF_8).length;
    Checks.between("bytes of a name", bytes, 1, MoeMessage.MAX_NAME_BYTES);
    Checks.between("addresses of ranks", ranks.size(), shape.ranks(), shape.ranks());
    int rank = new Ranks(engine, ranks).own();
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
    HostMemory own = new HostMemory(memory.asSlice(0, needed));
    return engine
        .register(own.segment())
        .flatMap(region ->
            Mono.create(
                sink -> begin(name, shape, new Ranks(engine, ranks), region, options, sink)));
  }

  private void begin(
      String name,
      MoeShape shape,
      Ranks ranks,
      MemoryRegion region,
      MoeOptions options,
      MonoSink<MoeGroup> sink) {
    ImmLease lease;
    try {
      lease = engine.lease(shape.lanes() * Ranks.IMMS_PER_LANE);
    } catch (RuntimeException e) {
      giveBack(region, sink, e);
      return;
    }
    Group group =
        new Group(engine, name, shape, options, ranks, region, lease, () -> groups.remove(name));
    Half<MoeGroup> half = new Half<>(group, sink);
    Joining joining = new Joining(group, half);
    if (messages.isDisposed() || groups.putIfAbsent(name, new Joined(group, joining)) != null) {
      lease.close();
      String why =
          messages.isDisposed()
              ? "expected an engine and a node that are open, got one that has closed"
              : "expected a group that this engine is not in, got "
                  + name
                  + " again; close it first";
      giveBack(region, sink, new IllegalStateException(why));
      return;
    }
    sink.onCancel(() ->
        group.turns.run(() -> {
          if (half.end()) {
            group.fail(ranks.own(), "was cancelled while it joined", null, true);
            group.whenQuiet(() -> group.mail.whenSent(() -> group.release(e -> {})));
          }
        }));
    group.turns.run(() -> {
      joining.begin();
      group.whenQuiet(() -> failedToJoin(group, half));
    });
  }

  /** Waits for a failure, and has no part in it if it comes when all had joined. */
  private static void failedToJoin(Group group, Half<MoeGroup> half) {
    GroupFailedException why = group.failure();
    if (why != null && !half.isOver()) {
      group.mail.whenSent(() -> group.release(e -> half.fail(why)));
    }
  }

  private static void giveBack(MemoryRegion region, MonoSink<MoeGroup> sink, Throwable why) {
    Listener.ofEnd(region.close(), () -> sink.error(why), e -> sink.error(why));
  }

  private void received(Message message) {
    MoeMessage said;
    try {
      said = MoeCodec.decode(message.bytes());
    } catch (MoeFormatException e) {
      LOG.debug("dropped a message of {}: {}", message.sender().address(), e.getMessage());
      return;
    }
    // Who has not joined yet is told again.
    Joined joined = groups.get(said.group());
    if (joined != null) {
      joined.group().turns.run(() -> received(joined, message.sender(), said));
    }
  }

  private static void received(Joined joined, Peer sender, MoeMessage said) {
    Group group = joined.group();
    int rank = group.ranks.of(sender.id());
    if (rank < 0 || rank == group.ranks.own()) {
      return;
    }
    switch (said) {
      case MoeMessage.Join join -> joined.joining().heard(rank, join);
      case MoeMessage.GiveUp giveUp -> {
        if (group.ranks.hasJoined(rank)) {
          group.gaveUp(rank, giveUp);
        }
      }
      case MoeMessage.Leave leave -> {
        if (group.ranks.hasJoined(rank)) {
          group.left(rank, leave.steps());
        }
      }
      case MoeMessage.Ask ask -> group.lateness.asked(rank, ask.lane());
      case MoeMessage.Tell tell -> group.lateness.told(rank, tell.progress());
    }
  }

  private void ended() {
    groups.values().forEach(joined -> joined.group().turns.run(joined.group()::engineClosed));
  }

  /**
   * Closes all groups that this engine is in, and reads no more messages. Completes when nothing of
   * them touches memory any more; the engine goes on. Cancelling drops the signal.
   */
  public Mono<Void> close() {
    return Mono.defer(() -> {
      List<Group> open = groups.values().stream().map(Joined::group).toList();
      open.forEach(group -> group.turns.run(group::close));
      return Mono.whenDelayError(open.stream().map(Group::closed).toList())
          .doFinally(end -> messages.dispose());
    });
  }
}
