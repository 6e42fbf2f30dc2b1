package io.reactivetransfer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

import io.reactivetransfer.Scatter.Part;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Slices, and the transfers that are made of them. */
class WriteTest {

  private static final Imm IMM = Imm.of(9);
  private final FakeRegion region = new FakeRegion(1_000);
  private final FakeRemote remote = new FakeRemote(1_000);

  @ParameterizedTest
  @CsvSource({
    "0, 1000, true",
    "0, 0, true",
    "1000, 0, true",
    "999, 1, true",
    "0, 1001, false",
    "1000, 1, false",
    "1001, 0, false",
    "-1, 1, false",
    "0, -1, false",
    "1, 9223372036854775807, false",
    "9223372036854775807, 1, false",
    "9223372036854775807, 9223372036854775807, false"
  })
  void aSliceLiesWithinItsRegion(long offset, long length, boolean legal) {
    if (legal) {
      assertThat(region.slice(offset, length).length()).isEqualTo(length);
      assertThat(remote.slice(offset, length).offset()).isEqualTo(offset);
    } else {
      assertThatExceptionOfType(IndexOutOfBoundsException.class)
          .isThrownBy(() -> region.slice(offset, length));
      assertThatExceptionOfType(IndexOutOfBoundsException.class)
          .isThrownBy(() -> remote.slice(offset, length));
    }
  }

  @Test
  void aWholeIsTheSliceOfEverything() {
    assertThat(region.whole()).isEqualTo(new MemorySlice(region, 0, 1_000));
    assertThat(remote.whole()).isEqualTo(new RemoteSlice(remote, 0, 1_000));
  }

  @Test
  void aClosedRegionGivesNoSlices() {
    region.closed = true;
    assertThatExceptionOfType(TransferRejectedException.class).isThrownBy(() -> region.slice(0, 1));
    assertThatExceptionOfType(TransferRejectedException.class).isThrownBy(region::whole);
  }

  @Test
  void bothEndsAreAsLong() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Write.of(region.slice(0, 5), remote.slice(0, 6)))
        .withMessageContaining("5")
        .withMessageContaining("6");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> WriteImm.of(region.slice(0, 5), remote.slice(0, 0), IMM));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new Part(region.slice(0, 5), remote.slice(0, 4)));
  }

  @Test
  void aWriteTellsNobody() {
    Write write = Write.of(region.slice(0, 5), remote.slice(10, 5));
    assertThat(write.length()).isEqualTo(5);
    assertThat(write.imm()).isNull();
    assertThat(write.arrivals()).isZero();
  }

  @Test
  void aWriteImmCountsOnceWhateverItsLength() {
    assertThat(WriteImm.of(region.whole(), remote.whole(), IMM).arrivals()).isEqualTo(1);
    WriteImm empty = WriteImm.of(region.slice(3, 0), remote.slice(1_000, 0), IMM);
    assertThat(empty.arrivals()).isEqualTo(1);
    assertThat(empty.length()).isZero();
    assertThatNullPointerException()
        .isThrownBy(() -> new WriteImm(region.whole(), remote.whole(), null));
  }

  @Test
  void aScatterCountsOncePerTarget() {
    Part part = new Part(region.slice(0, 5), remote.slice(0, 5));
    Part empty = new Part(region.slice(0, 0), remote.slice(0, 0));
    Scatter scatter = Scatter.of(IMM, part, empty, part);
    assertThat(scatter.length()).isEqualTo(10);
    assertThat(scatter.arrivals()).isEqualTo(3);
    assertThat(Scatter.of(null, part).arrivals()).isZero();
  }

  @Test
  void aScatterKeepsItsOwnList() {
    Part part = new Part(region.slice(0, 5), remote.slice(0, 5));
    List<Part> parts = new ArrayList<>(List.of(part));
    Scatter scatter = new Scatter(parts, null);
    parts.clear();
    assertThat(scatter.parts()).containsExactly(part);
    assertThatIllegalArgumentException().isThrownBy(() -> new Scatter(parts, IMM));
  }

  @Test
  void aSignalCountsOnceAtEachMember() {
    PeerGroup group = PeerGroup.of(new FakePeer(1), new FakePeer(2));
    assertThat(Signal.of(group, IMM).arrivals()).isEqualTo(2);
    assertThat(Signal.of(group, IMM).length()).isZero();
    assertThat(Signal.of(new FakePeer(1), IMM).arrivals()).isEqualTo(1);
    assertThatNullPointerException().isThrownBy(() -> new Signal(group, null));
    assertThatNullPointerException().isThrownBy(() -> new Signal(null, IMM));
  }

  @Test
  void aGroupHasDifferentMembersInAFixedOrder() {
    Peer one = new FakePeer(1);
    Peer two = new FakePeer(2);
    List<Peer> peers = new ArrayList<>(List.of(two, one));
    PeerGroup group = new PeerGroup(peers);
    peers.clear();
    assertThat(group.peers()).containsExactly(two, one);
    assertThat(group.size()).isEqualTo(2);
    assertThatIllegalArgumentException().isThrownBy(() -> new PeerGroup(peers));
    assertThatIllegalArgumentException().isThrownBy(() -> PeerGroup.of(one, two, one));
  }
}
