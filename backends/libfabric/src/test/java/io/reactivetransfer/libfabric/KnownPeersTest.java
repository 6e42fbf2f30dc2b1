package io.reactivetransfer.libfabric;

import static io.reactivetransfer.libfabric.KnownPeers.MAX_STRANGERS;
import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.EngineId;
import io.reactivetransfer.libfabric.Frame.Type;
import io.reactivetransfer.libfabric.ffi.TapLibFabric.Written;
import io.reactivetransfer.spi.WriteOp;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Who is forgotten, and how things go on with those who were. */
class KnownPeersTest {

  private static final long HOUR = 3_600_000_000_000L;
  private static final long PATIENCE_NANOS = 20_000_000_000L;
  private static final byte[] NAME = {1};
  private static final byte[] NOTHING = {};

  private final TappedNic nic = new TappedNic();
  private final FabricMemory source = nic.source();

  @AfterEach
  void close() {
    nic.close();
  }

  private static EngineId engine(long sender) {
    return new EngineId(sender, sender);
  }

  private void hear(Type type, long sender, int epoch, long number, byte[] content) {
    nic.hear(TappedNic.frame(type, engine(sender), epoch, number, NAME, content));
  }

  private void hearFrom(long first, long last) {
    for (long sender = first; sender <= last; sender++) {
      hear(Type.CONTROL, sender, 1, 0, NOTHING);
    }
  }

  private HeldPeer resolve(long engine) {
    return nic.peers.resolve(engine(engine), engine, NAME);
  }

  private boolean knows(long engine) {
    return nic.peers.all().stream().anyMatch(peer -> peer.instance() == engine);
  }

  private byte[] ask(Token token) {
    return ByteBuffer.allocate(24).putLong(1).put(token.encode()).array();
  }

  /** They ask once, and say nothing more: no word comes of their end. */
  @Test
  void afterManyOriginsThatWereKilledNewOnesAreAnswered() {
    byte[] ask = ask(nic.register());
    for (long origin = 1; origin <= MAX_STRANGERS; origin++) {
      hear(Type.ASK, origin, 1, 0, ask);
    }
    nic.pass(HOUR);
    long before = nic.tap.sent();
    hear(Type.ASK, 1_000_000, 1, 0, ask);
    assertThat(nic.tap.sent()).as("answers").isEqualTo(before + 1);
    assertThat(nic.peers.all()).hasSize(MAX_STRANGERS);
    assertThat(nic.tap.addresses()).isEqualTo(MAX_STRANGERS);
  }

  @Test
  void theOneThatWasSilentLongestGoes() {
    hearFrom(1, MAX_STRANGERS);
    hear(Type.CONTROL, 1, 1, 1, NOTHING);
    hearFrom(MAX_STRANGERS + 1, MAX_STRANGERS + 1);
    assertThat(knows(1)).as("it has spoken").isTrue();
    assertThat(knows(2)).isFalse();
    assertThat(knows(MAX_STRANGERS + 1)).isTrue();
  }

  @Test
  void whoHasLeftGoesFirst() {
    hearFrom(1, MAX_STRANGERS);
    hear(Type.BYE, 5, 1, 1, NOTHING);
    hear(Type.BYE, 4, 1, 1, NOTHING);
    hearFrom(MAX_STRANGERS + 1, MAX_STRANGERS + 1);
    assertThat(knows(5)).isFalse();
    assertThat(knows(4)).as("it left later").isTrue();
    assertThat(knows(1)).isTrue();
  }

  /** It is asked to, as after a loss: what it had said before nobody knows any more. */
  @Test
  void whoWasForgottenWhileItLivedBeginsAnew() {
    hearFrom(1, MAX_STRANGERS + 1);
    assertThat(knows(1)).isFalse();
    long sent = nic.tap.sent();
    int heard = nic.sink.reports().size();
    hear(Type.CONTROL, 1, 1, 1, NOTHING);
    nic.pass(100 * TappedNic.CONNECT_NANOS);
    nic.poll();
    assertThat(nic.tap.sent()).as("after time in which nobody looked").isEqualTo(sent);
    nic.pollFor(2 * TappedNic.CONNECT_NANOS);
    assertThat(nic.tap.sent()).as("a RESET").isEqualTo(sent + 1);
    assertThat(nic.sink.reports()).hasSize(heard);
    hear(Type.CONTROL, 1, 2, 0, NOTHING);
    assertThat(nic.sink.reports()).hasSize(heard + 1).last().isEqualTo("received 0");
    assertThat(nic.peers.areNeedy()).isFalse();
  }

  /** Of an origin that only writes, a bound claim waits for nothing else. */
  @Test
  void whoWasForgottenAndLeavesIsMissed() {
    hearFrom(1, MAX_STRANGERS + 2);
    assertThat(knows(1) || knows(2)).isFalse();
    long sent = nic.tap.sent();
    hear(Type.BYE, 1, 1, 1, new byte[] {1});
    hear(Type.BYE, 2, 1, 1_000, new byte[] {1});
    nic.pollFor(2 * TappedNic.CONNECT_NANOS);
    assertThat(nic.sink.reports()).contains("lost 1", "lost 2");
    assertThat(nic.tap.sent()).as("nothing is sent to who has left").isEqualTo(sent);
    assertThat(nic.peers.areNeedy()).isFalse();
  }

  @Test
  void whoIsHeldIsUsedAgainThoughItWasLostAndManyCame() {
    HeldPeer held = resolve(1_000_000);
    Route route = new Route(held, new Token(3, 4));
    hear(Type.BYE, 1_000_000, 1, 0, NOTHING);
    hearFrom(1, 2 * MAX_STRANGERS);
    assertThat(resolve(1_000_000)).isSameAs(held);
    nic.peers.ask(route);
    byte[] told = ByteBuffer.allocate(33).putLong(1).putLong(0).putLong(6).putLong(100).array();
    hear(Type.GRANT, 1_000_000, 2, 0, told);
    assertThat(route.state()).isEqualTo(Route.State.OPEN);
  }

  /** With what leads to them; the collector says that they were let go of. */
  @Test
  void thoseThatTheEngineHasLetGoOfAreForgotten() throws InterruptedException {
    long many = 2 * MAX_STRANGERS;
    for (long each = 1; each <= many; each++) {
      write(each);
      hear(Type.BYE, each, 1, 0, new byte[] {1});
    }
    long last = writeAndStay(many + 1);
    long begin = System.nanoTime();
    for (long next = many + 2;
        nic.peers.all().size() > MAX_STRANGERS && System.nanoTime() - begin < PATIENCE_NANOS;
        next++) {
      System.gc();
      Thread.sleep(10);
      hearFrom(next, next);
    }
    assertThat(nic.peers.all()).hasSize(MAX_STRANGERS);
    hearFrom(2 * many, 2 * many + MAX_STRANGERS);
    assertThat(nic.tap.addresses()).isLessThanOrEqualTo(MAX_STRANGERS);
    assertThat(nic.tap.closed()).as("the way to one that had not left").contains(last);
  }

  private long writeAndStay(long engine) {
    long endpoint = write(engine);
    hear(Type.CONTROL, engine, 1, 0, NOTHING);
    return endpoint;
  }

  /** Writes to a peer that is held no longer than this; returns through which endpoint. */
  private long write(long engine) {
    Route route = new Route(resolve(engine), new Token(3, 4));
    route.asked(0);
    route.open(new byte[] {5}, 0, 6, 100);
    WriteOp op = new WriteOp().between(source, route).range(0, 0, 100).withoutImm().token(engine);
    assertThat(nic.writes.post(op, route)).isEqualTo(Writes.Posted.TAKEN);
    Written written = nic.tap.written().getLast();
    nic.tap.completes(written);
    nic.poll();
    return written.endpoint();
  }
}
