package io.reactivetransfer.tcp;

import io.reactivetransfer.EngineOptions;
import io.reactivetransfer.Imm;
import io.reactivetransfer.MemoryRegion;
import io.reactivetransfer.Peer;
import io.reactivetransfer.RemoteRegion;
import io.reactivetransfer.TransferEngine;
import io.reactivetransfer.Write;
import io.reactivetransfer.WriteImm;
import io.reactivetransfer.engine.TransferEngineBuilder;
import io.reactivetransfer.spi.Backend;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.Random;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.util.retry.Retry;

/**
 * An engine with memory to write from, where each byte tells its place, and memory to be written to
 * between guards. Writes go to the place that they come from: so each byte that is written
 * elsewhere is found, unless its place looks the same.
 */
final class Node implements AutoCloseable {

  static final Duration LONG = Duration.ofSeconds(40);
  static final int BYTES = 1 << 20;
  private static final int GUARD_BYTES = 4_096;
  private static final byte GUARD = 0x5a;
  private static final int VALUES = 83;

  final TransferEngine engine;
  final MemorySegment source;
  final MemorySegment sink;
  final MemoryRegion from;
  final MemoryRegion to;
  private final MemorySegment guarded;
  private final Arena arena = Arena.ofShared();

  private Node(TransferEngine engine) {
    this.engine = engine;
    source = arena.allocate(BYTES);
    guarded = arena.allocate(BYTES + 2 * GUARD_BYTES).fill(GUARD);
    sink = guarded.asSlice(GUARD_BYTES, BYTES).fill((byte) 0);
    for (int at = 0; at < BYTES; at++) {
      source.set(ValueLayout.JAVA_BYTE, at, content(at));
    }
    from = engine.register(source).block(LONG);
    to = engine.register(sink).block(LONG);
  }

  static Node open(Backend backend, EngineOptions options) {
    return new Node(
        TransferEngineBuilder.create().backend(backend).options(options).open().block(LONG));
  }

  /** What the source has here: 1 to 83. */
  private static byte content(int at) {
    return (byte) (1 + at % VALUES);
  }

  Peer peer(Node other) {
    return engine.peer(other.engine.address());
  }

  RemoteRegion remote(Node other) {
    return engine.remote(other.to.descriptor());
  }

  WriteImm write(RemoteRegion target, long offset, long length, Imm imm) {
    return WriteImm.of(from.slice(offset, length), target.slice(offset, length), imm);
  }

  /** Without end: many small ones, and some that need all NICs. */
  Flux<WriteImm> writes(Node other, Imm imm, long seed) {
    RemoteRegion target = remote(other);
    Random random = new Random(seed);
    return Flux.generate(next -> {
      int length = random.nextInt(1 << random.nextInt(19));
      next.next(write(target, random.nextInt(BYTES - length), length, imm));
    });
  }

  /** Writes to new memory of another one, and again if that fails: what comes is what was sent. */
  void reaches(Node other, Imm imm) {
    MemorySegment out = arena.allocate(BYTES).fill((byte) 7);
    MemorySegment in = other.arena.allocate(BYTES);
    MemoryRegion fresh = engine.register(out).block(LONG);
    RemoteRegion target = engine.remote(other.engine.register(in).block(LONG).descriptor());
    // What a connection had been through may show only now, and would leave the immediate in doubt.
    engine.submit(Write.of(fresh.whole(), target.whole())).retry(100).block(LONG);
    WriteImm write = WriteImm.of(fresh.whole(), target.whole(), imm);
    // One that fails leaves it in doubt all the same, and it is settled before the next one.
    Mono.defer(() -> engine.submit(write))
        .onErrorResume(e -> other.engine.counter(imm).discard().then(Mono.error(e)))
        .retryWhen(Retry.fixedDelay(400, Duration.ofMillis(50)))
        .block(LONG);
    other.engine.counter(imm).next(1).block(LONG);
    if (in.mismatch(out) >= 0) {
      throw new AssertionError("byte " + in.mismatch(out) + " is not what was sent");
    }
  }

  /** Fails if there is a byte in the sink that is neither 0 nor what its place should have. */
  void assertOnlyWhatWasWritten() {
    for (int at = 0; at < BYTES; at++) {
      byte value = sink.get(ValueLayout.JAVA_BYTE, at);
      if (value != 0 && value != content(at)) {
        throw new AssertionError("byte " + at + " is " + value + ", not " + content(at));
      }
    }
    assertGuarded();
  }

  /** Fails unless the sink has this value everywhere. */
  void assertFilledWith(int value) {
    for (int at = 0; at < BYTES; at++) {
      if (sink.get(ValueLayout.JAVA_BYTE, at) != value) {
        throw new AssertionError("byte " + at + " was written after the memory was given back");
      }
    }
    assertGuarded();
  }

  /** Fails if anything was written beside the sink. */
  void assertGuarded() {
    for (long at = 0; at < GUARD_BYTES; at++) {
      if (guarded.get(ValueLayout.JAVA_BYTE, at) != GUARD
          || guarded.get(ValueLayout.JAVA_BYTE, guarded.byteSize() - 1 - at) != GUARD) {
        throw new AssertionError("guard " + at + " was overwritten");
      }
    }
  }

  @Override
  public void close() {
    engine.close().block(LONG);
    arena.close();
  }
}
