package io.reactivetransfer.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.Access;
import io.reactivetransfer.BackendUnavailableException;
import io.reactivetransfer.Device;
import io.reactivetransfer.DeviceMemory;
import io.reactivetransfer.EngineOptions;
import io.reactivetransfer.Imm;
import io.reactivetransfer.MemoryRegion;
import io.reactivetransfer.TransferEngine;
import io.reactivetransfer.Write;
import io.reactivetransfer.WriteImm;
import io.reactivetransfer.engine.base.Probe;
import io.reactivetransfer.engine.peers.ControlFrame;
import io.reactivetransfer.engine.peers.Liveness;
import io.reactivetransfer.spi.Availability;
import io.reactivetransfer.spi.DeviceAccess;
import io.reactivetransfer.spi.DeviceWay;
import io.reactivetransfer.spi.Devices;
import io.reactivetransfer.spi.MadeUpMachine;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import reactor.core.publisher.Flux;

/**
 * Which NICs memory of an accelerator is written from, on a machine of two sockets that is made up.
 * The first accelerator has NICs s0 and s4 at its switch, the second one s1. With s2 they share a
 * socket; s3 is on the other one.
 */
class NearNicsTest {

  private static final Device FIRST = Device.of("abacus", 0);
  private static final Device SECOND = Device.of("abacus", 1);

  /** Of which nobody knows where it is. */
  private static final Device SOMEWHERE = Device.of("abacus", 2);

  private static final List<String> NICS =
      List.of("0000:03:00.0", "0000:13:00.0", "0000:21:00.0", "0000:81:00.0", "0000:04:00.0");

  @RegisterExtension final EngineByHand hand = new EngineByHand();

  @TempDir private Path sys;

  private record Abacus() implements DeviceAccess {

    @Override
    public Availability availability() {
      return Availability.available();
    }

    @Override
    public List<Device> devices() {
      return List.of(FIRST, SECOND, SOMEWHERE);
    }

    @Override
    public String pciAddress(Device device) {
      return device.equals(SOMEWHERE)
          ? null
          : device.equals(FIRST) ? "0000:02:00.0" : "0000:12:00.0";
    }

    @Override
    public void copyToHost(DeviceMemory from, long at, MemorySegment to, long toAt, long length) {
      throw new UnsupportedOperationException();
    }

    @Override
    public void copyFromHost(MemorySegment from, long at, DeviceMemory to, long toAt, long length) {
      throw new UnsupportedOperationException();
    }

    @Override
    public long peek(DeviceMemory memory, long offset) {
      throw new UnsupportedOperationException();
    }
  }

  @BeforeEach
  void twoSockets() {
    MadeUpMachine machine =
        new MadeUpMachine(sys)
            .with(0, "pci0000:00 0000:00:01.0 0000:01:00.0 0000:01:01.0 0000:02:00.0")
            .with(0, "pci0000:00 0000:00:01.0 0000:01:00.0 0000:01:02.0 0000:03:00.0")
            .with(0, "pci0000:00 0000:00:01.0 0000:01:00.0 0000:01:03.0 0000:04:00.0")
            .with(0, "pci0000:10 0000:10:01.0 0000:11:00.0 0000:11:01.0 0000:12:00.0")
            .with(0, "pci0000:10 0000:10:01.0 0000:11:00.0 0000:11:02.0 0000:13:00.0")
            .with(0, "pci0000:20 0000:20:01.0 0000:21:00.0")
            .with(1, "pci0000:80 0000:80:01.0 0000:81:00.0");
    hand.environment =
        builder -> builder.devices(Devices.of(List.of(new Abacus()))).pci(machine.tree());
    hand.nicsWith(builder -> builder.devices(Set.of(Device.HOST, FIRST, SECOND, SOMEWHERE)));
    hand.backend.place = index -> NICS.get(index);
  }

  private void open(int nics) {
    open(nics, UnaryOperator.identity());
  }

  private void open(int nics, UnaryOperator<EngineOptions.Builder> options) {
    hand.open(nics, options);
  }

  private MemoryRegion regionOf(Device device) {
    Probe<MemoryRegion> probe =
        hand.probe(
            hand.engine()
                .register(new DeviceMemory(device, 1L << 40, EngineByHand.REGION), Access.LOCAL));
    hand.turn();
    return probe.assertComplete().items().getFirst();
  }

  private Probe<WriteImm> submit(MemoryRegion source, int writes, long length) {
    WriteImm write =
        WriteImm.of(source.slice(0, length), hand.remote(1).slice(0, length), Imm.of(7));
    Probe<WriteImm> probe = hand.probe(hand.engine().submit(Flux.just(write).repeat(writes - 1)));
    hand.turn();
    return probe;
  }

  /** How many pieces of memory of that region each NIC got. */
  private List<Integer> postedFrom(MemoryRegion source) {
    return hand.nics().stream()
        .map(nic ->
            (int)
                nic.posted().stream()
                    .filter(piece -> piece.source().memory().equals(source.memory()))
                    .count())
        .toList();
  }

  private List<Integer> goesTo(Device device) {
    MemoryRegion source = regionOf(device);
    Probe<WriteImm> probe = submit(source, 20, 100);
    List<Integer> posted = postedFrom(source);
    hand.settle();
    probe.assertComplete();
    return posted;
  }

  @Test
  void memoryOfAnAcceleratorGoesOverTheNicsNearestToItAndThatOfTheHostOverAll() {
    open(5);
    assertThat(goesTo(FIRST)).containsExactly(10, 0, 0, 0, 10);
    assertThat(goesTo(SECOND)).containsExactly(0, 20, 0, 0, 0);
    MemoryRegion host = hand.region();
    submit(host, 20, 100);
    assertThat(postedFrom(host)).containsExactly(4, 4, 4, 4, 4);
  }

  @Test
  void theNearestOfThoseThatTheEngineHasAreNear() {
    hand.backend.place = index -> NICS.get(index + 1);
    open(3);
    assertThat(goesTo(FIRST)).as("of the same node").containsExactly(10, 10, 0);
    assertThat(goesTo(SECOND)).containsExactly(20, 0, 0);
  }

  @Test
  void allCarryWhatIsEquallyFarFromAllOrNobodyKnowsWhere() {
    hand.backend.place = index -> NICS.get(2);
    open(2);
    assertThat(goesTo(FIRST)).containsExactly(10, 10);
    assertThat(goesTo(SOMEWHERE)).containsExactly(10, 10);
  }

  @Test
  void nicsOfWhichNobodyKnowsWhereTheyAreCarryAll() {
    hand.backend.place = index -> null;
    open(2);
    assertThat(goesTo(FIRST)).containsExactly(10, 10);
  }

  @ParameterizedTest
  @EnumSource
  void distanceMattersUnlessBytesGoThroughTheHost(DeviceWay way) {
    hand.backend.way = () -> way;
    open(2);
    boolean copied = way == DeviceWay.STAGED || way == DeviceWay.NONE;
    assertThat(goesTo(SECOND)).containsExactly(copied ? 10 : 0, copied ? 10 : 20);
  }

  @Test
  void aBackendThatFailsToSayHowBytesGetThereHasAllNicsCarryThem() {
    hand.backend.way =
        () -> {
          throw new IllegalStateException("told to fail");
        };
    open(2);
    assertThat(goesTo(SECOND)).containsExactly(10, 10);
  }

  @Test
  void aLongWriteIsCutForTheNicsThatCarryIt() {
    open(5, o -> o.minPieceBytes(1));
    MemoryRegion first = regionOf(FIRST);
    submit(first, 1, 1_000_000);
    assertThat(postedFrom(first)).containsExactly(1, 0, 0, 0, 1);
    MemoryRegion second = regionOf(SECOND);
    submit(second, 1, 1_000_000);
    assertThat(postedFrom(second)).containsExactly(0, 1, 0, 0, 0);
  }

  @Test
  void theOthersStandInForNearNicsThatFail() {
    open(5);
    hand.nic(0).breakDown(5, "told to break");
    hand.turn();
    assertThat(goesTo(FIRST)).containsExactly(0, 0, 0, 0, 20);
    hand.nic(4).breakDown(5, "told to break");
    hand.turn();
    MemoryRegion source = regionOf(FIRST);
    submit(source, 21, 100);
    assertThat(postedFrom(source)).containsExactly(0, 7, 7, 7, 20);
  }

  @Test
  void whatANearNicHadTakenOverGoesOverTheOthersWhenItFails() {
    open(2);
    MemoryRegion source = regionOf(SECOND);
    Probe<Write> probe =
        hand.probe(
            hand.engine().submit(Write.of(source.slice(0, 100), hand.remote(1).slice(0, 100))));
    hand.turn();
    assertThat(postedFrom(source)).containsExactly(0, 1);
    hand.nic(1).breakDown(5, "told to break");
    hand.turn();
    hand.receive(1, ControlFrame.fenced(1, 1));
    assertThat(postedFrom(source)).containsExactly(1, 1);
    hand.settle();
    probe.assertComplete();
  }

  /** Only there: to another peer it still leads. */
  @Test
  void theOthersStandInForANearNicThatHasLostItsWayToAPeer() {
    open(2);
    hand.probe(
        hand.engine()
            .submit(WriteImm.of(hand.region().slice(0, 1), hand.remote(1).slice(0, 1), Imm.of(1))));
    hand.turn();
    hand.settle();
    hand.loseWay(1, hand.peer(1));
    hand.receive(1, ControlFrame.fenced(1, 1));
    assertThat(goesTo(SECOND)).containsExactly(20, 0);
  }

  @Test
  void whatANearNicDoesNotTakeGoesOverTheOthers() {
    open(2);
    MemoryRegion near = regionOf(SECOND);
    hand.nic(1).room = 2;
    Probe<WriteImm> first = submit(near, 3, 100);
    assertThat(postedFrom(near)).containsExactly(1, 2);
    Probe<WriteImm> other = submit(hand.region(), 200, 100);
    hand.nic(0).completeAll();
    hand.turn();
    other.assertComplete();
    hand.nic(1).room = Integer.MAX_VALUE;
    Probe<WriteImm> second = submit(near, 3, 100);
    assertThat(postedFrom(near)).containsExactly(1, 5);
    hand.settle();
    first.assertComplete();
    second.assertComplete();
  }

  @Test
  void theOthersStandInForANearNicThatIsSilent() {
    open(2);
    MemoryRegion near = regionOf(SECOND);
    Probe<WriteImm> stuck = submit(near, 1, 100);
    assertThat(postedFrom(near)).containsExactly(0, 1);
    for (int look = 0; look < 2; look++) {
      hand.receive(1, ControlFrame.alive());
      hand.advance(
          hand.engine().options().livenessDeadline().dividedBy(Liveness.ASKS_PER_DEADLINE));
    }
    Probe<WriteImm> other = submit(near, 3, 100);
    assertThat(postedFrom(near)).containsExactly(3, 1);
    hand.settle();
    stuck.assertComplete();
    other.assertComplete();
  }

  @Test
  void whoFillsTheNearNicUsesTheOthersUntilItHasRoom() {
    open(2, o -> o.nicDepth(4));
    MemoryRegion near = regionOf(SECOND);
    Probe<WriteImm> probe = submit(near, 9, 100);
    assertThat(postedFrom(near)).containsExactly(4, 4);
    hand.nic(1).completeAll();
    hand.turn();
    assertThat(postedFrom(near)).containsExactly(4, 5);
    hand.settle();
    probe.assertComplete();
  }

  @Test
  void theOptionsNameOthers() {
    open(5, o -> o.deviceNics(FIRST, "s2", "s3").deviceNics(SOMEWHERE, "s4"));
    assertThat(goesTo(FIRST)).containsExactly(0, 0, 10, 10, 0);
    assertThat(goesTo(SECOND)).as("of which they say nothing").containsExactly(0, 20, 0, 0, 0);
    assertThat(goesTo(SOMEWHERE)).containsExactly(0, 0, 0, 0, 20);
  }

  @Test
  void theOptionsAlsoCountWhereBytesGoThroughTheHost() {
    hand.backend.way = () -> DeviceWay.STAGED;
    open(2, o -> o.deviceNics(FIRST, "s1").deviceNics(Device.of("abacus", 77), "s0"));
    assertThat(goesTo(FIRST)).containsExactly(0, 20);
  }

  @Test
  void aNicThatTheEngineDoesNotHaveIsRefused() {
    Probe<TransferEngine> opening = hand.opening(2, o -> o.deviceNics(FIRST, "s1", "s2"));
    hand.turn();
    assertThat(opening.error())
        .isInstanceOf(BackendUnavailableException.class)
        .hasMessageContaining(
            "expected deviceNics of abacus:0 with names of the engine's NICs, which are s0, s1, got"
                + " s2");
  }

  @Test
  void eachNicKnowsTheMemoryWhetherOrNotItIsNear() {
    open(5);
    int before = hand.nic(3).registrations();
    regionOf(FIRST);
    assertThat(IntStream.range(0, 5).map(nic -> hand.nic(nic).registrations()))
        .containsOnly(before + 1);
  }
}
