package io.reactivetransfer.staging;

import io.reactivetransfer.Access;
import io.reactivetransfer.CompletionLevel;
import io.reactivetransfer.DeviceMemory;
import io.reactivetransfer.EngineId;
import io.reactivetransfer.HostMemory;
import io.reactivetransfer.Memory;
import io.reactivetransfer.spi.Capabilities;
import io.reactivetransfer.spi.CompletionSink;
import io.reactivetransfer.spi.Domain;
import io.reactivetransfer.spi.LocalMemory;
import io.reactivetransfer.spi.OpenContext;
import io.reactivetransfer.spi.Operation;
import io.reactivetransfer.spi.PostResult;
import io.reactivetransfer.spi.RemoteMemory;
import io.reactivetransfer.spi.RemotePeer;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.WeakHashMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Stands before a NIC, and adds memory of those accelerators that it does not reach by itself: its
 * bytes go through buffers of the host, piece by piece, while the NIC's thread goes on. What is
 * between memory that the NICs of both sides reach passes as it is.
 *
 * <p>From an accelerator to a peer's host, pieces are written by that NIC. To a peer's accelerator
 * they are written into buffers that the peer has granted, by a second NIC, from where the peer
 * stores them; it says so when that is done, and the write is reported then. The second NIC is
 * opened when there is something for it, and its immediates are for this alone: an engine may use
 * all 32 bits of its own. So whoever writes to accelerators of others needs this before its NIC,
 * too, and no accelerator.
 *
 * <p>A piece is in the memory of the accelerator before its immediate is reported. At most 16 MiB
 * of buffers for all peers: 4 MiB for what goes out, 12 MiB for what comes in. A peer that takes
 * nothing, or gives nothing back, within {@link OpenContext#connectTimeout()} while others need the
 * room, is reported lost, or loses what it was granted. Who copies waits for the end of a copy that
 * it began in an earlier poll.
 *
 * <p>Memory of one NIC has to be different from that of all others as {@link Object#equals} sees
 * it, which it is unless that is overridden.
 */
public final class StagingDomain implements Domain {

  private final Domain main;
  private final Capabilities capabilities;
  private final Nics nics;
  private final Registry registry;
  private final Inbound inbound;
  private final Outbound outbound;
  private final Reception reception;
  private final Descriptors descriptors = new Descriptors();
  private final MainSink mainSink;
  private final SecondSink secondSink;
  private final IdentityHashMap<RemotePeer, StagedPeer> peers = new IdentityHashMap<>();

  /** What the NIC itself has registered; registrations may end on any thread. */
  private final Map<LocalMemory, Memory> sources = Collections.synchronizedMap(new WeakHashMap<>());

  /** Whose memory of the host it is, as often as it was resolved. */
  private final IdentityHashMap<RemoteMemory, Owner> owners = new IdentityHashMap<>();

  /** Peers that were released while the second NIC had something to report of them. */
  private final List<StagedPeer> leaving = new ArrayList<>();

  private final boolean reachesDevices;

  /** Whether anything was ever asked that concerns accelerators. */
  private boolean isInUse;

  private boolean isBroken;

  private record Owner(StagedPeer peer, int times) {}

  private StagingDomain(
      Domain main,
      Supplier<? extends CompletionStage<? extends Domain>> second,
      OpenContext context,
      LongSupplier nanoTime) {
    this.main = main;
    reachesDevices = !context.devices().all().isEmpty();
    capabilities = capabilities(main.capabilities(), context);
    long patienceNanos = context.connectTimeout().toNanos();
    nics =
        new Nics(
            main,
            new SecondNic(second, context.doorbell(), nanoTime, patienceNanos),
            context.devices(),
            context.doorbell(),
            patienceNanos);
    registry = new Registry(nics.random());
    inbound = new Inbound(nics, registry);
    outbound = new Outbound(nics);
    reception = new Reception(nics, inbound.windows(), outbound);
    mainSink = new MainSink(this);
    secondSink = new SecondSink(this);
  }

  /**
   * Stands before a NIC.
   *
   * @param main the NIC, which this closes
   * @param second opens another one like it, for the same context; called when it is needed, on the
   *     thread that drives the NIC, and again if that was refused, once in a second at most. It has
   *     failed if it says more than 1,015 bytes to a peer at once, since what it says takes 9 more
   *     on the way
   * @param context that the NIC was opened with
   */
  public static Domain before(
      Domain main,
      Supplier<? extends CompletionStage<? extends Domain>> second,
      OpenContext context) {
    return before(main, second, context, System::nanoTime);
  }

  /** The same, where time goes by as a test says. */
  static Domain before(
      Domain main,
      Supplier<? extends CompletionStage<? extends Domain>> second,
      OpenContext context,
      LongSupplier nanoTime) {
    return new StagingDomain(main, second, context, nanoTime);
  }

  private static Capabilities capabilities(Capabilities of, OpenContext context) {
    Capabilities.Builder builder = of.toBuilder().maxRows(1);
    if (context.devices().all().isEmpty()) {
      return builder.build();
    }
    if (of.completion() == CompletionLevel.SOURCE_FREE) {
      // Of several pieces nobody would know when the last one may bring the immediate.
      builder.maxWriteBytes(Math.min(of.maxWriteBytes(), Pinned.MOST_BYTES));
    }
    return builder.devices(context.devices().andHost()).build();
  }

  @Override
  public Capabilities capabilities() {
    return capabilities;
  }

  @Override
  public byte[] address() {
    return main.address();
  }

  // ---- memory ----

  @Override
  public CompletionStage<LocalMemory> register(Memory memory, Access access) {
    return switch (memory) {
      case DeviceMemory device when isReached(device) -> registerReached(device, access);
      case DeviceMemory device -> CompletableFuture.completedStage(register(device, access));
      case HostMemory host -> main.register(host, access).thenApply(own -> remember(own, host));
    };
  }

  /** What the NIC refuses at once, as a card may whose kernel does not know it, is staged. */
  private CompletionStage<LocalMemory> registerReached(DeviceMemory memory, Access access) {
    CompletableFuture<LocalMemory> own = Futures.of(() -> main.register(memory, access));
    return own.isCompletedExceptionally()
        ? CompletableFuture.completedStage(register(memory, access))
        : own.thenApply(registered -> remember(registered, memory));
  }

  /** By the NIC itself, as one that is a card may. */
  private boolean isReached(DeviceMemory memory) {
    return main.capabilities().devices().contains(memory.device());
  }

  private LocalMemory remember(LocalMemory own, Memory memory) {
    sources.put(own, memory);
    return own;
  }

  private LocalMemory register(DeviceMemory memory, Access access) {
    if (!capabilities.devices().contains(memory.device())) {
      nics.devices().access(memory.device()); // throws, and says which there are
    }
    if (access.allowsRemoteWrite()) {
      isInUse = true;
      nics.second().open(); // by the time a peer asks, it may be there
    }
    return registry.add(memory, access);
  }

  @Override
  public CompletionStage<LocalMemory> revoke(LocalMemory memory) {
    if (memory instanceof StagedMemory staged) {
      return Futures.of(() -> {
        end(staged);
        return CompletableFuture.completedStage(registry.add(staged.memory(), staged.access()));
      });
    }
    Memory known = sources.get(memory);
    CompletionStage<LocalMemory> revoked = main.revoke(memory);
    return known == null ? revoked : revoked.thenApply(own -> remember(own, known));
  }

  private void end(StagedMemory memory) {
    registry.remove(memory);
    inbound.quiet(memory);
  }

  @Override
  public CompletionStage<Void> deregister(LocalMemory memory) {
    if (memory instanceof StagedMemory staged) {
      return Futures.of(() -> {
        end(staged);
        return CompletableFuture.completedStage(null);
      });
    }
    sources.remove(memory);
    return main.deregister(memory);
  }

  // ---- peers ----

  @Override
  public RemotePeer resolve(EngineId engine, int nic, byte[] address) {
    RemotePeer peer = main.resolve(engine, nic, address);
    peers.put(peer, new StagedPeer(peer, engine, nic));
    return peer;
  }

  private StagedPeer find(RemotePeer peer) {
    StagedPeer found = peers.get(peer);
    if (found == null) {
      throw new IllegalArgumentException("expected a peer that this NIC has resolved, got another");
    }
    return found;
  }

  @Override
  public RemoteMemory resolve(RemotePeer peer, byte[] key, long length) {
    if (StagedKey.isOne(key)) {
      return new StagedTarget(find(peer), StagedKey.decode(key));
    }
    RemoteMemory memory = main.resolve(peer, key, length);
    if (reachesDevices) {
      Owner known = owners.get(memory);
      owners.put(memory, new Owner(find(peer), known == null ? 1 : known.times() + 1));
    }
    return memory;
  }

  @Override
  public void release(RemoteMemory memory) {
    if (memory instanceof StagedTarget) {
      return;
    }
    var _ =
        owners.computeIfPresent(
            memory,
            (_, owner) -> owner.times() == 1 ? null : new Owner(owner.peer(), owner.times() - 1));
    main.release(memory);
  }

  @Override
  public void fromPeer(RemotePeer from, ByteBuffer message) {
    if (Messages.isOne(message)) {
      isInUse = true;
      reception.heard(find(from), message);
    } else {
      main.fromPeer(from, message);
    }
  }

  /** The second NIC's, as that knows them. */
  @SuppressWarnings("ReferenceEquality") // the very object
  @Nullable StagedPeer findSecond(RemotePeer second) {
    for (StagedPeer peer : peers.values()) {
      if (peer.second() == second) {
        return peer;
      }
    }
    return null;
  }

  @Override
  public CompletionStage<Void> disconnect(RemotePeer peer, String reason) {
    StagedPeer known = find(peer);
    CompletionStage<Void> fence = main.disconnect(peer, reason);
    String who = "engine " + known.engine().toShortString() + " was given up: " + reason;
    endAll(known, new Failure(0, who));
    RemotePeer second = known.second();
    if (second == null) {
      return fence;
    }
    CompletionStage<Void> other = nics.second().domain().disconnect(second, reason);
    return CompletableFuture.allOf(fence.toCompletableFuture(), other.toCompletableFuture());
  }

  private void endAll(StagedPeer peer, Failure why) {
    nics.outbox().removeIf(said -> said.to().equals(peer));
    outbound.end(peer, why);
    inbound.windows().leave(peer);
  }

  @Override
  public void release(RemotePeer peer) {
    StagedPeer known = find(peer);
    String reason = "it is needed no more";
    endAll(known, new Failure(0, reason));
    peers.remove(peer);
    RemotePeer second = known.second();
    if (second != null && !releaseIfQuiet(known)) {
      var _ = nics.second().domain().disconnect(second, reason);
      leaving.add(known);
    }
    main.release(peer);
  }

  private boolean releaseIfQuiet(StagedPeer peer) {
    RemotePeer second = peer.second();
    if (second == null || !peer.isQuiet()) {
      return false;
    }
    nics.second().domain().release(second);
    return true;
  }

  // ---- writes ----

  @Override
  public PostResult post(Operation op) {
    if (op.remote() instanceof StagedTarget target) {
      return postToDevice(op, target);
    }
    if (op.local() instanceof StagedMemory source) {
      return postFromDevice(op, source);
    }
    return OwnTokens.isOwn(op.token()) ? postExchanged(op) : main.post(op);
  }

  private PostResult postToDevice(Operation op, StagedTarget target) {
    isInUse = true;
    Memory source =
        op.local() instanceof StagedMemory staged ? staged.memory() : sources.get(op.local());
    if (source == null) {
      throw new IllegalArgumentException("expected memory that this NIC has registered");
    }
    return isBroken ? PostResult.NIC_BUSY : outbound.post(op, target.peer(), source);
  }

  private PostResult postFromDevice(Operation op, StagedMemory source) {
    isInUse = true;
    Owner owner = owners.get(op.remote());
    if (owner == null) {
      throw new IllegalArgumentException("expected memory that this NIC has resolved");
    }
    if (op.length() > capabilities.maxWriteBytes()) {
      throw new IllegalArgumentException(
          "expected a write of up to "
              + capabilities.maxWriteBytes()
              + " bytes, got "
              + op.length());
    }
    return isBroken ? PostResult.NIC_BUSY : outbound.post(op, owner.peer(), source.memory());
  }

  /** The engine's token is one that ours might be. */
  private PostResult postExchanged(Operation op) {
    isInUse = true;
    long token = nics.tokens().take(new EngineToken(op.token()));
    PostResult result = main.post(op.copy().token(token));
    if (!result.isTaken()) {
      var _ = nics.tokens().end(token);
    }
    return result;
  }

  /** What the engine knows a write by whose token was exchanged. */
  record EngineToken(long token) {}

  @Override
  public void flush() {
    main.flush();
  }

  // ---- each turn ----

  @Override
  public int poll(CompletionSink sink) {
    if (!isInUse) {
      return main.poll(mainSink.to(sink)); // what comes may be of a peer that has accelerators
    }
    nics.clock().polled(System.nanoTime());
    int work = inbound.settle(sink);
    work += main.poll(mainSink.to(sink));
    boolean isSecondOpen = nics.second().isOpen();
    Domain second = nics.second().domainIfAny();
    if (second != null) {
      work += second.poll(secondSink.to(sink));
    }
    if (isSecondOpen) {
      work += inbound.advance();
    } else {
      work += inbound.windows().advance();
    }
    // Before failures are reported: what the engine says of them goes behind what ends windows.
    work += speak(sink);
    work += outbound.advance(sink);
    main.flush();
    if (second != null) {
      second.flush();
    }
    if (!leaving.isEmpty()) {
      leaving.removeIf(this::releaseIfQuiet);
    }
    return work + speak(sink);
  }

  private int speak(CompletionSink sink) {
    int said = 0;
    for (Nics.Said next = nics.outbox().poll(); next != null; next = nics.outbox().poll()) {
      sink.toPeer(next.to().main(), next.message());
      said++;
    }
    return said;
  }

  /** One of our tokens was reported; with a failure, if that write has failed. */
  void reported(CompletionSink sink, long token, @Nullable Failure failure, boolean refused) {
    switch (nics.tokens().end(token)) {
      case Lane lane -> outbound.reported(lane, failure, refused);
      case InWindow window -> inbound.noted(window, failure);
      case EngineToken(long own) -> {
        if (failure == null) {
          sink.written(own);
        } else if (refused) {
          sink.refused(own, failure.code(), failure.text());
        } else {
          sink.failed(own, failure.code(), failure.text());
        }
      }
      case null, default -> {}
    }
  }

  /** Something has come by the second NIC. */
  void arrived(int imm) {
    switch (nics.immediates().find(imm)) {
      case InSlot slot -> inbound.arrived(slot);
      case OutSlot slot -> outbound.taken(slot);
      case null, default -> {} // of what is over, or nobody's
    }
  }

  /**
   * One of the two NICs has lost its way to an engine, so the other one gives it up: what it was
   * not given yet fails, too, and nothing more comes in.
   */
  void lost(EngineId engine, int code, String text, boolean byMain) {
    for (StagedPeer peer : peers.values()) {
      if (peer.engine().equals(engine)) {
        endAll(peer, new Failure(code, text));
        RemotePeer second = peer.second();
        if (!byMain) {
          var _ = main.disconnect(peer.main(), text);
        } else if (second != null) {
          var _ = nics.second().domain().disconnect(second, text);
        }
      }
    }
  }

  /** Whether something was agreed on with an engine that its second NIC could lose. */
  boolean hasWindows(EngineId engine) {
    return peers.values().stream()
        .anyMatch(peer ->
            peer.engine().equals(engine) && (peer.outWindow != null || peer.inWindow != null));
  }

  /** The NIC does nothing more, so nothing comes in by the second one, either. */
  void broke(int code, String text) {
    isBroken = true;
    Failure why = new Failure(code, text);
    nics.second().fail(why);
    for (StagedPeer peer : peers.values()) {
      endAll(peer, why);
      RemotePeer second = peer.second();
      if (second != null) { // what it has of the peer ends now, not when it notices
        var _ = nics.second().domain().disconnect(second, text);
      }
    }
  }

  /** The second NIC does nothing more: what needs none of it goes on. */
  void secondBroke(int code, String text) {
    Failure why = new Failure(code, "the NIC for memory of accelerators has failed: " + text);
    nics.second().fail(why);
    for (StagedPeer peer : peers.values()) {
      outbound.giveUpWindow(peer, why);
      InWindow granted = peer.inWindow;
      if (granted != null) {
        inbound.windows().end(granted, why.text()); // who waits for one is denied it in this turn
      }
    }
  }

  @Override
  public int[] waitDescriptors() {
    Domain second = nics.second().domainIfAny();
    int[] ofMain = main.waitDescriptors();
    return second == null ? ofMain : descriptors.ofBoth(ofMain, second.waitDescriptors());
  }

  @Override
  public boolean prepareWait() {
    if (inbound.isDue() || outbound.isDue() || !nics.outbox().isEmpty()) {
      return false;
    }
    Domain second = nics.second().domainIfAny();
    return main.prepareWait() && (second == null || second.prepareWait());
  }

  @Override
  public void close() {
    try {
      nics.second().close();
    } catch (RuntimeException | Error e) { // it may use the buffers still, so they stay
      closeMainAfter(e);
      throw e;
    }
    main.close();
    inbound.close();
    outbound.close();
    nics.doubts().requireNone();
  }

  private void closeMainAfter(Throwable failure) {
    try {
      main.close();
    } catch (RuntimeException | Error e) {
      failure.addSuppressed(e);
    }
  }
}
