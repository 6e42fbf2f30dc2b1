package io.reactivetransfer.libfabric;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.Access;
import io.reactivetransfer.EngineId;
import io.reactivetransfer.HostMemory;
import io.reactivetransfer.spi.Domain;
import io.reactivetransfer.spi.LocalMemory;
import io.reactivetransfer.spi.Operation;
import io.reactivetransfer.spi.RemoteMemory;
import io.reactivetransfer.spi.RemotePeer;
import io.reactivetransfer.tck.driver.Recorder;
import io.reactivetransfer.tck.driver.TwoNics;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * One without a session, who knows where the NIC listens, the token, the provider's key and even
 * what another one was told: it cannot connect.
 */
class StrangersTest {

  private static final Duration TIMEOUT = Duration.ofSeconds(10);

  /** After it, a stranger whom nobody answers gives up. */
  private static final Duration SHORT_TIMEOUT = Duration.ofSeconds(2);

  private static final long PATIENCE_NANOS = 20_000_000_000L;
  private static final int LENGTH = 100;
  private static final int TICKET_AT_END = Long.BYTES;

  private final LibfabricSettings settings = InstalledLibrary.with("tcp");
  private final FabricLibrary library = FabricLibrary.load(settings.library());
  private final Arena arena = Arena.ofShared();
  private final Recorder atStranger = new Recorder();
  private final Domain stranger = open(3, SHORT_TIMEOUT);
  private final TwoNics nics = TwoNics.open(engine -> open(engine, TIMEOUT));
  private final Recorder atOrigin = nics.atOrigin();
  private final Recorder atTarget = nics.atTarget();
  private final MemorySegment memory = arena.allocate(LENGTH, 64);
  private final LocalMemory local = nics.openToOrigin(memory);

  @AfterEach
  void close() {
    stranger.close();
    assertThat(nics.close()).isTrue();
    arena.close();
  }

  private Domain open(long engine, Duration timeout) {
    ProviderChoice choice = library.choose(settings);
    return LibfabricDomain.open(
        library, choice, choice.infos().getFirst(), InstalledLibrary.context(engine, timeout));
  }

  private Operation write(Domain from, RemoteMemory to, byte value) {
    MemorySegment source = arena.allocate(LENGTH, 64).fill(value);
    return new Operation()
        .between(TwoNics.join(from.register(new HostMemory(source), Access.LOCAL)), to)
        .range(0, 0, LENGTH)
        .token(value)
        .withImm(value);
  }

  /** What the origin was told, when it has written. */
  private byte[] grantOfTheOrigin() {
    Operation op = write(nics.origin(), nics.named(local, LENGTH), (byte) 1);
    boolean taken = false;
    long begin = System.nanoTime();
    while (!atOrigin.has("written 1") || !atTarget.has("imm 1")) {
      assertThat(System.nanoTime() - begin).as("ns of a first write").isLessThan(PATIENCE_NANOS);
      taken = taken || nics.origin().post(op).isTaken();
      nics.turn();
    }
    return atTarget.spoken().stream()
        .filter(said -> said[0] == Asks.GRANT)
        .findFirst()
        .orElseThrow();
  }

  /** Has the stranger believe that it was told this, whenever it asks. */
  private void writeWith(byte[] grant) {
    RemotePeer peer = stranger.resolve(new EngineId(2, 2), 0, nics.target().address());
    Operation op = write(stranger, stranger.resolve(peer, local.key(), LENGTH), (byte) 9);
    boolean taken = false;
    int told = 0;
    long begin = System.nanoTime();
    while (told < 3 || !atStranger.has("lost")) {
      assertThat(System.nanoTime() - begin).as("ns until a loss").isLessThan(PATIENCE_NANOS);
      taken = taken || stranger.post(op).isTaken();
      stranger.poll(atStranger);
      nics.turn();
      byte[] ask = atStranger.said().poll();
      if (ask != null && told < 3) {
        told++;
        byte[] forged = grant.clone();
        System.arraycopy(ask, 1, forged, 1, Long.BYTES);
        stranger.fromPeer(peer, ByteBuffer.wrap(forged));
      }
    }
    assertThat(atStranger.reports()).doesNotContain("written 9");
    assertThat(atTarget.reports()).containsExactly("imm 1");
    assertThat(memory.get(ValueLayout.JAVA_BYTE, 0)).isEqualTo((byte) 1);
  }

  @Test
  void whoShowsATicketThatWasUsedIsNotLetIn() {
    writeWith(grantOfTheOrigin());
  }

  @Test
  void whoMakesUpATicketIsNotLetIn() {
    byte[] grant = grantOfTheOrigin();
    grant[grant.length - TICKET_AT_END] ^= 1;
    writeWith(grant);
  }
}
