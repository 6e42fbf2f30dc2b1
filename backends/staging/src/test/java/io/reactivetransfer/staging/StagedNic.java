package io.reactivetransfer.staging;

import io.reactivetransfer.Access;
import io.reactivetransfer.CompletionLevel;
import io.reactivetransfer.Device;
import io.reactivetransfer.DeviceMemory;
import io.reactivetransfer.EngineId;
import io.reactivetransfer.HostMemory;
import io.reactivetransfer.Memory;
import io.reactivetransfer.spi.BackendException;
import io.reactivetransfer.spi.CompletionSink;
import io.reactivetransfer.spi.Devices;
import io.reactivetransfer.spi.Domain;
import io.reactivetransfer.spi.LocalMemory;
import io.reactivetransfer.spi.OpenContext;
import io.reactivetransfer.spi.Operation;
import io.reactivetransfer.spi.PostResult;
import io.reactivetransfer.spi.RemoteMemory;
import io.reactivetransfer.spi.RemotePeer;
import io.reactivetransfer.tck.FakeDevice;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;

/** A staging NIC before scripted ones, with an accelerator, turned by hand. */
final class StagedNic implements CompletionSink {

  /** How long peers may owe an answer: longer than a test takes, or so long that it waits. */
  static final Duration LONG = Duration.ofSeconds(60);

  static final Duration SHORT = Duration.ofMillis(100);

  private static final AtomicInteger LAST = new AtomicInteger();

  final EngineId id = new EngineId(3, LAST.incrementAndGet());
  final FakeDevice device = new FakeDevice(Device.of("fake", 0));
  final FakeDevice other = new FakeDevice(Device.of("fake", 1));
  final ScriptedNic main;
  final ScriptedNic second;
  final Domain domain;

  /** What was reported, in order. */
  final List<String> reports = new ArrayList<>();

  /** Of the writes whose immediates have come. */
  final List<Long> lengths = new ArrayList<>();

  /** How often the second NIC was opened, or tried to be. */
  int openings;

  /** Why it cannot be opened now; empty if it can. */
  String refusal;

  /** What time it is for who opens it. */
  long nanoTime = Long.MAX_VALUE - 5;

  private final Duration patience;
  private final Map<EngineId, RemotePeer> peers = new HashMap<>();
  private final Map<RemotePeer, StagedNic> owners = new HashMap<>();
  private final Queue<Letter> inbox = new ArrayDeque<>();

  /** What becomes of what it says. */
  UnaryOperator<byte[]> said = UnaryOperator.identity();

  /** Which messages get through. */
  Predicate<ByteBuffer> isHeard = _ -> true;

  private record Letter(StagedNic from, ByteBuffer message) {}

  StagedNic() {
    this(CompletionLevel.DELIVERED, LONG);
  }

  StagedNic(CompletionLevel completion, Duration patience) {
    this(completion, patience, "");
  }

  /** One whose second NIC cannot be opened for that reason, unless it is empty. */
  StagedNic(CompletionLevel completion, Duration patience, String refusal) {
    this(completion, patience, refusal, false);
  }

  /** One whose NIC reaches the accelerator by itself. */
  static StagedNic thatReachesItsDevice() {
    return new StagedNic(CompletionLevel.DELIVERED, LONG, "", true);
  }

  private StagedNic(
      CompletionLevel completion, Duration patience, String refusal, boolean reachesDevice) {
    this.patience = patience;
    ScriptedNic plain = new ScriptedNic(completion);
    main = reachesDevice ? plain.reaching(device.devices().getFirst()) : plain;
    second = new ScriptedNic(completion);
    this.refusal = refusal;
    domain = StagingDomain.before(main, this::open, context(), () -> nanoTime);
  }

  private CompletableFuture<Domain> open() {
    openings++;
    return refusal.isEmpty()
        ? CompletableFuture.completedFuture(second)
        : CompletableFuture.failedFuture(new BackendException(0, refusal));
  }

  OpenContext context() {
    return OpenContext.builder(id, 0, () -> {})
        .devices(Devices.of(List.of(device, other)))
        .connectTimeout(patience)
        .build();
  }

  /** Bytes that nothing else has by chance. */
  static byte[] noise(int seed, int length) {
    byte[] bytes = new byte[length];
    new Random(seed).nextBytes(bytes);
    return bytes;
  }

  DeviceMemory onDevice(byte[] bytes) {
    DeviceMemory memory = device.allocate(bytes.length);
    device.write(memory, bytes);
    return memory;
  }

  static HostMemory onHost(byte[] bytes) {
    MemorySegment segment = Arena.ofAuto().allocate(Math.max(1, bytes.length));
    MemorySegment.copy(MemorySegment.ofArray(bytes), 0, segment, 0, bytes.length);
    return new HostMemory(segment);
  }

  LocalMemory register(Memory memory, Access access) {
    return domain.register(memory, access).toCompletableFuture().join();
  }

  RemotePeer peer(StagedNic other) {
    return peers.computeIfAbsent(
        other.id,
        _ -> {
          RemotePeer peer = domain.resolve(other.id, 0, other.domain.address());
          owners.put(peer, other);
          return peer;
        });
  }

  RemoteMemory resolve(StagedNic owner, LocalMemory memory, long length) {
    return domain.resolve(peer(owner), memory.key(), length);
  }

  /** Posts a write of all bytes, with its token as the immediate. */
  PostResult write(LocalMemory from, RemoteMemory to, long length, long token) {
    return domain.post(
        new Operation().between(from, to).range(0, 0, length).token(token).withImm((int) token));
  }

  /** Hears what was said, polls once, and says what there is to say; what was done. */
  int turn() {
    int heard = 0;
    for (Letter next = inbox.poll(); next != null; next = inbox.poll()) {
      if (isHeard.test(next.message().duplicate())) {
        domain.fromPeer(peer(next.from()), next.message());
        heard++;
      }
    }
    return heard + domain.poll(this);
  }

  boolean hasReported(String report) {
    return reports.contains(report);
  }

  @Override
  public void written(long token) {
    reports.add("written " + token);
  }

  @Override
  public void failed(long token, int code, String text) {
    reports.add("failed " + token + ": " + text);
  }

  @Override
  public void refused(long token, int code, String text) {
    reports.add("refused " + token + ": " + text);
  }

  @Override
  public void immArrived(int imm, long bytes) {
    lengths.add(bytes);
    reports.add("imm " + imm);
  }

  @Override
  public void immArrived(EngineId origin, int imm, long bytes) {
    lengths.add(bytes);
    reports.add("imm " + imm + " of " + origin.toShortString());
  }

  @Override
  public void toPeer(RemotePeer peer, ByteBuffer message) {
    byte[] bytes = new byte[message.remaining()];
    message.duplicate().get(bytes);
    owners.get(peer).inbox.add(new Letter(this, ByteBuffer.wrap(said.apply(bytes))));
  }

  @Override
  public void peerLost(EngineId peer, int code, String text) {
    reports.add("lost " + peer.toShortString());
  }

  @Override
  public void nicFailed(int code, String text) {
    reports.add("broken " + text);
  }
}
