package io.reactivetransfer.libfabric;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.Access;
import io.reactivetransfer.EngineId;
import io.reactivetransfer.HostMemory;
import io.reactivetransfer.libfabric.ffi.Fi;
import io.reactivetransfer.spi.WriteOp;
import java.lang.foreign.Arena;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;

class WritesTest {

  private static final long MILLI = 1_000_000;
  private static final EngineId ENGINE = new EngineId(1, 1);
  private static final byte[] NAME = {1};

  private int answers;

  /** The peer says where its memory may be written: it lives, and is asked again and again. */
  private void grant(TappedNic nic, Route route) {
    if (route.state() == Route.State.ASKED) {
      answers++;
      byte[] content =
          ByteBuffer.allocate(33).putLong(answers).putLong(0).putLong(6).putLong(100).array();
      nic.hear(TappedNic.frame(Frame.Type.GRANT, ENGINE, 1, answers - 1, NAME, content));
    }
  }

  private void refuse(TappedNic nic, boolean again) {
    HeldPeer peer = nic.peers.resolve(ENGINE, 1, NAME);
    Route route = new Route(peer, new Token(3, 4));
    route.asked(0);
    route.open(new byte[] {5}, 0, 6, 100);
    nic.peers.stuck(route);
    for (int i = 0; i < 300; i++) {
      nic.pass(20 * MILLI);
      nic.poll();
      grant(nic, route);
      if (again) {
        nic.peers.stuck(route);
      }
    }
  }

  @Test
  void aPeerThatTakesNoConnectionForWritesIsLost() {
    try (TappedNic nic = new TappedNic()) {
      refuse(nic, true);
      assertThat(nic.sink.texts()).anyMatch(text -> text.contains("takes no connection"));
    }
  }

  /** As when a stream is cancelled while the connection is being made. */
  @Test
  void aPeerToWhichNobodyWantsToWriteAnyMoreIsNotLost() {
    try (TappedNic nic = new TappedNic()) {
      refuse(nic, false);
      assertThat(nic.sink.reports()).isEmpty();
    }
  }

  private void sendInVain(TappedNic nic, boolean again) {
    FabricPeer peer = nic.peers.resolve(ENGINE, 1, NAME).peer();
    nic.tap.sends(() -> false);
    nic.peers.send(peer, ByteBuffer.allocate(10));
    for (int i = 0; i < 300; i++) {
      nic.pass(20 * MILLI);
      nic.poll();
      if (again) {
        nic.peers.send(peer, ByteBuffer.allocate(10));
      }
    }
  }

  @Test
  void aPeerThatTakesNoMessageIsLost() {
    try (TappedNic nic = new TappedNic()) {
      sendInVain(nic, true);
      assertThat(nic.sink.texts()).anyMatch(text -> text.contains("could not be reached"));
    }
  }

  /** As when a message is cancelled while no buffer is free. */
  @Test
  void aPeerToWhichNobodyWantsToSayAnythingAnyMoreIsNotLost() {
    try (TappedNic nic = new TappedNic()) {
      sendInVain(nic, false);
      assertThat(nic.sink.reports()).isEmpty();
      assertThat(nic.peers.areNeedy()).isFalse();
    }
  }

  /** Nobody asks for it again, but it lies here and is tried in each turn. */
  @Test
  void aPeerThatTakesNoAnswerIsLost() {
    try (TappedNic nic = new TappedNic()) {
      nic.tap.sends(() -> false);
      byte[] ask = ByteBuffer.allocate(24).putLong(1).put(nic.register().encode()).array();
      nic.hear(TappedNic.frame(Frame.Type.ASK, ENGINE, 1, 0, NAME, ask));
      for (int i = 0; i < 300; i++) {
        nic.pass(20 * MILLI);
        nic.poll();
      }
      assertThat(nic.sink.texts()).anyMatch(text -> text.contains("could not be reached"));
    }
  }

  /** Nobody knows what the provider has sent. */
  @Test
  void aWriteWhoseSourceWasFreedBeforeItIsCompleteFails() {
    try (TappedNic nic = new TappedNic()) {
      Route route = new Route(nic.peers.resolve(ENGINE, 1, NAME), new Token(3, 4));
      route.open(new byte[] {5}, 0, 6, 100);
      try (Arena shortLived = Arena.ofShared()) {
        FabricMemory source =
            nic.regions.register(new HostMemory(shortLived.allocate(100)), Access.LOCAL);
        WriteOp op = new WriteOp().between(source, route).range(0, 0, 10).token(8);
        assertThat(nic.writes.post(op, route)).isEqualTo(Writes.Posted.TAKEN);
      }
      nic.tap.completes(nic.tap.written().getFirst());
      nic.poll();
      assertThat(nic.sink.reports()).containsExactly("failed 8");
      assertThat(nic.sink.texts()).containsExactly(FabricMemory.SOURCE_FREED);
    }
  }

  @Test
  void aQueueThatCannotBeReadAgainAndAgainIsBroken() {
    try (TappedNic nic = new TappedNic()) {
      nic.tap.reads(-Fi.FI_EINVAL);
      for (int i = 1; i < Breakage.MOST_FAILURES; i++) {
        nic.poll();
      }
      nic.tap.reads(-Fi.FI_EAGAIN);
      nic.poll();
      nic.tap.reads(-Fi.FI_EINVAL);
      nic.poll();
      assertThat(nic.writes.broken()).as("it could be read in between").isNull();
      for (int i = 1; i < Breakage.MOST_FAILURES; i++) {
        nic.poll();
      }
      Failure broken = nic.writes.broken();
      assertThat(broken).isNotNull();
      assertThat(broken.code()).isEqualTo(Fi.FI_EINVAL);
      assertThat(broken.text()).contains("fi_cq_read", "error 22");
    }
  }
}
