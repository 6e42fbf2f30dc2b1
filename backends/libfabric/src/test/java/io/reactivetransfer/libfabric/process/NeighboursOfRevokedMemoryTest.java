package io.reactivetransfer.libfabric.process;

import static io.reactivetransfer.libfabric.process.Local.LONG;
import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.Imm;
import io.reactivetransfer.MemoryRegion;
import io.reactivetransfer.RegionDescriptor;
import io.reactivetransfer.RemoteRegion;
import io.reactivetransfer.TransferFailedException;
import io.reactivetransfer.WriteImm;
import io.reactivetransfer.tck.process.Waiting;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Flux;

/**
 * Beyond rule 9.4, which has writes of one length: streams without a pause, each into memory of its
 * own, of one peer. One memory after the other is revoked, which ends the writes into it, and no
 * others.
 */
class NeighboursOfRevokedMemoryTest {

  private static final int STREAMS = 8;
  private static final int ROUNDS = Integer.getInteger("reactivetransfer.rounds", 1);

  /** In a usual build of a half of them, which are long ones and short ones. */
  private static final int REVOCATIONS = ROUNDS > 1 ? STREAMS * ROUNDS : STREAMS / 2;

  private static final long LOOK_NANOS = 100_000;
  private static final int BYTES = 1 << 18;

  private Local origin;
  private Local target;

  @BeforeAll
  static void requireLibfabric() {
    Local.requireLibfabric();
  }

  @BeforeEach
  void open() {
    origin = Local.open(1, BYTES);
    target = Local.open(STREAMS, BYTES);
  }

  @AfterEach
  void close() {
    origin.close();
    target.close();
  }

  /** Writes into one memory until that fails. */
  private final class Writer {
    private final int index;
    private final int length;
    private final AtomicLong done = new AtomicLong();
    private int begun;
    private CompletableFuture<Void> stream;

    Writer(int index, int length) {
      this.index = index;
      this.length = length;
      begin(target.regions.get(index).descriptor());
    }

    void begin(RegionDescriptor descriptor) {
      MemoryRegion source = origin.regions.getFirst();
      RemoteRegion to = origin.remote(descriptor);
      // What a revocation ends is in doubt, and its immediate with it: the next one takes another.
      Imm imm = Imm.of(STREAMS * begun++ + index);
      WriteImm write = WriteImm.of(source.slice(0, length), to.slice(0, length), imm);
      stream =
          origin
              .engine
              .submit(Flux.just(write).repeat())
              .doOnNext(_ -> done.incrementAndGet())
              .then()
              .toFuture();
    }
  }

  /** Until it has done more than so many, or has failed. */
  private static void await(Writer writer, long before) {
    long begin = System.nanoTime();
    while (writer.done.get() <= before && !writer.stream.isDone()) {
      assertThat(System.nanoTime() - begin)
          .as("nanoseconds in which writes into memory %s went on", writer.index)
          .isLessThan(LONG.toNanos());
      LockSupport.parkNanos(LOOK_NANOS);
    }
  }

  @Test
  void revokingEndsWritesIntoThatMemoryAndNoOthers() {
    revokeOneAfterTheOther(65_536, 64);
  }

  /** In a usual build the test above has both, a long one and a short one, beside each other. */
  @Tag("nightly")
  @ParameterizedTest(name = "{0} bytes")
  @ValueSource(ints = {262_144, 64})
  void soItDoesWhereAllAreOfOneLength(int length) {
    revokeOneAfterTheOther(length, length);
  }

  private void revokeOneAfterTheOther(int even, int odd) {
    List<Writer> writers = new ArrayList<>();
    for (int i = 0; i < STREAMS; i++) {
      writers.add(new Writer(i, i % 2 == 0 ? even : odd));
    }
    for (int i = 0; i < REVOCATIONS; i++) {
      for (Writer writer : writers) {
        long before = writer.done.get();
        await(writer, before + 2);
      }
      Writer concerned = writers.get(i % STREAMS);
      target.regions.get(concerned.index).revoke().block(LONG);
      assertThat(Waiting.failure(concerned.stream, LONG))
          .isInstanceOf(TransferFailedException.class);
      for (Writer writer : writers) {
        if (writer != concerned && writer.stream.isDone()) {
          throw new AssertionError(
              "memory "
                  + concerned.index
                  + " was revoked, got a failure of a write into memory "
                  + writer.index,
              Waiting.failure(writer.stream, LONG));
        }
      }
      concerned.begin(target.regions.get(concerned.index).descriptor());
    }
  }
}
