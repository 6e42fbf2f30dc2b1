package io.reactivetransfer.tck;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.Imm;
import io.reactivetransfer.Message;
import io.reactivetransfer.PageList;
import io.reactivetransfer.PagedWrite;
import io.reactivetransfer.TransferEngine;
import io.reactivetransfer.WriteImm;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Chapter 16: a refusal below is invisible above. */
abstract class BackPressureRules extends RuleGroup {

  /** Pieces of a write that a NIC is given one after another. */
  private static final int RUN = 32;

  BackPressureRules(TransferConformance kit) {
    super(kit);
  }

  @Test
  final void r16_1_refusedWritesAreTriedAgain() {
    Duo duo = Duo.open(stage(), 1, new Valve().refuseEach(3));
    Imm imm = stage().imm();
    Probe<Void> claim = stage().claim(duo.target(), imm, 50);
    List<WriteImm> writes = duo.writes(50, imm);
    List<WriteImm> done =
        stage().probe("50 writes", duo.origin().submit(Upstream.of(writes))).awaitCompletion();
    assertThat(done).containsExactlyInAnyOrderElementsOf(writes);
    claim.awaitCompletion();
    duo.expectWrites(50);
    stage().awaitBytes("after refused writes", duo.to());
    assertThat(duo.target().stats().arrivals()).as("arrivals").isEqualTo(50);
  }

  @ParameterizedTest(name = "{0} NICs")
  @MethodSource("nicCounts")
  final void r16_2_aQueueOfOneIsEnough(int nics) {
    Duo duo = Duo.open(stage(), nics, new Valve().limits(64, 1));
    Imm imm = stage().imm();
    Probe<Void> claim = stage().claim(duo.target(), imm, 23);
    Probe<WriteImm> stream =
        stage().probe("22 writes", duo.origin().submit(Upstream.of(duo.writes(22, imm))));
    Probe<WriteImm> large =
        stage().probe("a write", duo.origin().submit(duo.write(20_000, 64 * 20, imm)));
    PageList pages = PageList.range(0, 20);
    stage()
        .done(
            duo.origin(),
            PagedWrite.of(32, duo.source(30_000, 640), pages, duo.sink(30_000, 640), pages, null));
    stream.awaitCompletion();
    large.awaitCompletion();
    claim.awaitCompletion();
    duo.expectWrites(22);
    duo.expect(20_000, 64 * 20);
    duo.expect(30_000, 640);
    stage().awaitBytes("through a queue of one", duo.to());
  }

  @ParameterizedTest(name = "{0} NICs")
  @MethodSource("fewNics")
  final void r16_4_nicsThatBeginWhenTheyAreFlushedCarryEverything(int nics) {
    Valve valve = new Valve().limits(64, 16).chain();
    Duo duo = Duo.open(stage(), nics, valve);
    Imm imm = stage().imm();
    Probe<Void> claim = stage().claim(duo.target(), imm, 51);
    Probe<WriteImm> stream =
        stage().probe("50 writes", duo.origin().submit(Upstream.of(duo.writes(50, imm))));
    Probe<WriteImm> large =
        stage().probe("a write", duo.origin().submit(duo.write(20_000, 64 * 40, imm)));
    stream.awaitCompletion();
    large.awaitCompletion();
    claim.awaitCompletion();
    duo.expectWrites(50);
    duo.expect(20_000, 64 * 40);
    stage().awaitBytes("over NICs that chain what they are given", duo.to());
  }

  @Test
  final void r16_4_aRunOfPostsIsFlushedOnce() {
    Valve valve = new Valve().limits(64, 64).chain();
    Duo duo = Duo.open(stage(), 1, valve);
    stage().done(duo.origin(), duo.write(0, 1)); // there is a session from now on
    int before = valve.flushes();
    stage().done(duo.origin(), duo.write(64, 64 * RUN));
    assertThat(valve.taken()).as("writes that the NIC was given").hasSize(1 + RUN);
    assertThat(valve.flushes() - before).as("flushes behind %s writes", RUN).isEqualTo(1);
  }

  @Test
  final void r16_3_refusedMessagesAreTriedAgain() {
    TransferEngine origin = stage().open(1, new Valve().refuseEach(3));
    TransferEngine target = stage().open(1);
    Probe<Message> messages = stage().probe("messages", target.messages());
    List<Probe<Void>> sends = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      ByteBuffer message = ByteBuffer.allocate(4).putInt(i).flip();
      sends.add(stage().probe("send", origin.send(origin.peer(target.address()), message)));
    }
    sends.forEach(Probe::awaitCompletion);
    List<Message> received = messages.awaitValues(20);
    for (int i = 0; i < 20; i++) {
      assertThat(received.get(i).bytes().getInt(0)).as("message %s", i).isEqualTo(i);
    }
  }
}
