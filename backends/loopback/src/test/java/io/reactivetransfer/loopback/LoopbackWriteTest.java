package io.reactivetransfer.loopback;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivetransfer.Access;
import io.reactivetransfer.Device;
import io.reactivetransfer.DeviceMemory;
import io.reactivetransfer.HostMemory;
import io.reactivetransfer.spi.BackendException;
import io.reactivetransfer.spi.CompletionSink;
import io.reactivetransfer.spi.LocalMemory;
import io.reactivetransfer.spi.Operation;
import io.reactivetransfer.spi.RemoteMemory;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** One write, and why it may not be. */
class LoopbackWriteTest {

  private final LoopbackNetwork network = new LoopbackNetwork();
  private final LoopbackBackend backend = LoopbackBackend.builder().network(network).build();
  private final TestNic origin = TestNic.open(backend, 1);
  private final TestNic target = TestNic.open(backend, 2);

  @Test
  void movesBytesThenTellsTheTargetThenTheOrigin() {
    origin.fill(5);
    assertThat(
            origin
                .domain
                .post(origin.write(origin.target(target), 100, 50, 9).withImm(77))
                .isTaken())
        .isTrue();
    assertThat(target.rings).hasPositiveValue();
    assertThat(origin.events()).isEmpty();

    List<Byte> seenWithImm = new ArrayList<>();
    target.domain.poll(onImm(() -> seenWithImm.add(target.at(149))));

    assertThat(seenWithImm).containsExactly((byte) 5);
    assertThat(target.at(99)).isZero();
    assertThat(target.at(100)).isEqualTo((byte) 5);
    assertThat(target.at(150)).isZero();
    assertThat(origin.rings).hasPositiveValue();
    assertThat(origin.events()).containsExactly("written 9");
    assertThat(origin.poll()).isZero();
    assertThat(target.poll()).isZero();
  }

  @Test
  void readsTheOpOnlyDuringPost() {
    origin.fill(5);
    Operation op = origin.write(origin.target(target), 0, 1, 1);
    origin.domain.post(op);
    op.range(500, 500, 1).token(2).withImm(3);
    assertThat(target.events()).isEmpty();
    assertThat(origin.events()).containsExactly("written 1");
    assertThat(target.at(500)).isZero();
  }

  @Test
  void zeroBytesStillCarryTheImmediate() {
    origin.domain.post(origin.write(origin.target(target), TestNic.MEMORY_BYTES, 0, 1).withImm(8));
    assertThat(target.events()).containsExactly("imm 8");
    assertThat(origin.events()).containsExactly("written 1");
  }

  @Test
  void writesToItself() {
    origin.fill(1);
    Operation op =
        new Operation()
            .between(origin.memory, origin.target(origin))
            .range(0, 10, 4)
            .token(3)
            .withImm(4);
    origin.domain.post(op);
    assertThat(origin.events()).containsExactly("imm 4", "written 3");
    origin.domain.close();
  }

  @ParameterizedTest
  @CsvSource({
    "65536, 1",
    "65535, 2",
    "0, 65537",
    "-1, 1",
    "9223372036854775807, 1",
    "1, 9223372036854775807"
  })
  @SuppressWarnings("restricted") // a source that seems endless, and is never read
  void refusesRangesOutsideTheTarget(long offset, long length) {
    LoopbackBackend unbounded =
        LoopbackBackend.builder().network(network).maxWriteBytes(Long.MAX_VALUE).build();
    TestNic writer = TestNic.open(unbounded, 4);
    MemorySegment endless = MemorySegment.NULL.reinterpret(Long.MAX_VALUE);
    writer.memory =
        writer.domain.register(new HostMemory(endless), Access.LOCAL).toCompletableFuture().join();
    Operation op =
        new Operation()
            .between(writer.memory, writer.target(target))
            .range(0, offset, length)
            .token(6)
            .withImm(1);
    assertThat(writer.domain.post(op).isTaken()).isTrue();
    assertThat(target.events()).isEmpty();
    assertThat(writer.events())
        .singleElement()
        .asString()
        .startsWith("failed 6 3 expected a range within 65536 bytes, got " + length)
        .contains("loopback:");
  }

  @Test
  void refusesRangesOutsideTheSource() {
    Operation op =
        new Operation()
            .between(origin.memory, origin.target(target))
            .range(TestNic.MEMORY_BYTES, 0, 1)
            .token(6);
    assertThat(origin.domain.post(op).isTaken()).isTrue();
    assertThat(origin.events()).singleElement().asString().startsWith("failed 6 4 ");
    assertThat(target.poll()).isZero();
  }

  @Test
  void rowsComeToTheirPlacesAlsoWhenTheyTakeSeveralTurns() {
    TestNic slow =
        TestNic.open(LoopbackBackend.builder().network(network).maxCopyBytesPerPoll(25).build(), 3);
    origin.fill(5);
    Operation op = origin.write(origin.target(slow), 100, 60, 1).withImm(1);
    origin.domain.post(op.inRows(6, 3, 11));

    assertThat(slow.events()).isEmpty();
    assertThat(slow.at(100 + 2 * 11 + 4)).isEqualTo((byte) 5);
    assertThat(slow.at(100 + 2 * 11 + 5)).as("half of the third row").isZero();
    assertThat(slow.events()).isEmpty();
    assertThat(slow.events()).containsExactly("imm 1");
    assertThat(origin.events()).containsExactly("written 1");
    for (int at = 0; at < 6 * 11; at++) {
      assertThat(slow.at(100 + at)).as("byte %d", at).isEqualTo((byte) (at % 11 < 10 ? 5 : 0));
    }
    assertThat(slow.at(99)).isZero();
  }

  @Test
  void rowsAreReadAtTheStrideOfTheSource() {
    for (int i = 0; i < TestNic.MEMORY_BYTES; i++) {
      origin.bytes.set(ValueLayout.JAVA_BYTE, i, (byte) i);
    }
    Operation op = origin.write(origin.target(target), 100, 4, 1);
    origin.domain.post(op.inRows(2, 50, 2).withImm(1));
    assertThat(target.events()).containsExactly("imm 1");
    assertThat(target.at(100)).isEqualTo((byte) 100);
    assertThat(target.at(101)).isEqualTo((byte) 101);
    assertThat(target.at(102)).isEqualTo((byte) 150);
    assertThat(target.at(103)).isEqualTo((byte) 151);
  }

  @Test
  void rowsOfAListComeInItsOrderAlsoWhenTheyTakeSeveralTurns() {
    TestNic slow =
        TestNic.open(LoopbackBackend.builder().network(network).maxCopyBytesPerPoll(5).build(), 3);
    for (int i = 0; i < TestNic.MEMORY_BYTES; i++) {
      origin.bytes.set(ValueLayout.JAVA_BYTE, i, (byte) (i / 10));
    }
    int[] list = {0, 4, 0, 4, 1, 0};
    Operation op = origin.write(origin.target(slow), 100, 8, 1).withImm(1);
    origin.domain.post(op.gathering(list, 1, 4, 10, 3)); // row 0 at 100
    Arrays.fill(list, 9);
    assertThat(slow.events()).isEmpty();
    assertThat(slow.events()).containsExactly("imm 1");
    assertThat(origin.events()).containsExactly("written 1");
    byte[] expected = {14, 14, 0, 10, 10, 0, 14, 14, 0, 11, 11, 0};
    for (int i = 0; i < expected.length; i++) {
      assertThat(slow.at(100 + i)).as("byte %d", i).isEqualTo(expected[i]);
    }
    origin.domain.post(origin.write(origin.target(slow), 200, 4, 2));
    slow.events();
    assertThat(origin.events()).containsExactly("written 2");
    assertThat(slow.at(203)).as("a range behind it").isEqualTo((byte) 20);
  }

  @ParameterizedTest
  @CsvSource({"3277, 20", "2147483647, 20", "1, 9223372036854775807", "1, 65532"})
  void refusesListedRowsOutsideOfTheMemory(int row, long stride) {
    Operation op =
        origin
            .write(origin.target(target), 0, 10, 6)
            .withImm(1)
            .gathering(new int[] {row, 0}, 0, 2, stride, 5);
    assertThat(origin.domain.post(op).isTaken()).isTrue();
    assertThat(target.events()).isEmpty();
    assertThat(origin.events()).singleElement().asString().startsWith("failed 6 ");
  }

  @ParameterizedTest
  @CsvSource({
    "65527, 5, 5",
    "65531, 6, 5",
    "0, 65532, 5",
    "0, 9223372036854775807, 5",
    "-1, 10, 5",
    "0, 5, 65532",
    "0, 5, 9223372036854775807"
  })
  void refusesRowsOutsideOfTheMemoryOfEitherSide(long offset, long remote, long local) {
    Operation op =
        new Operation()
            .between(origin.memory, origin.target(target))
            .range(0, offset, 10)
            .inRows(2, local, remote)
            .token(6)
            .withImm(1);
    assertThat(origin.domain.post(op).isTaken()).isTrue();
    assertThat(target.events()).isEmpty();
    assertThat(origin.events()).singleElement().asString().startsWith("failed 6 ");
  }

  @Test
  void refusesWritesLongerThanDeclared() {
    TestNic small =
        TestNic.open(LoopbackBackend.builder().network(network).maxWriteBytes(10).build(), 3);
    assertThat(small.domain.capabilities().maxWriteBytes()).isEqualTo(10);
    small.domain.post(small.write(small.target(target), 0, 11, 6));
    assertThat(small.events()).containsExactly("failed 6 4 expected at most 10 bytes, got 11");
  }

  @Test
  void refusesMemoryThatIsNotOpen() {
    LocalMemory local =
        target
            .domain
            .register(new HostMemory(target.bytes), Access.LOCAL)
            .toCompletableFuture()
            .join();
    origin.domain.post(origin.write(origin.target(target, local), 0, 1, 6).withImm(1));
    assertThat(target.events()).isEmpty();
    assertThat(origin.events()).singleElement().asString().startsWith("failed 6 2 ");
  }

  @Test
  void refusesUnknownKeys() {
    RemoteMemory elsewhere = origin.domain.resolve(origin.peer(target), origin.memory.key(), 10);
    origin.domain.post(origin.write(elsewhere, 0, 1, 6).withImm(1));
    assertThat(target.events()).isEmpty();
    assertThat(origin.events()).singleElement().asString().startsWith("failed 6 1 no memory");
  }

  @Test
  void revokedIsRevokedAlsoForWhatIsUnderWay() {
    origin.fill(5);
    RemoteMemory before = origin.target(target);
    origin.domain.post(origin.write(before, 0, 1, 1).withImm(1));
    target.memory = target.domain.revoke(target.memory).toCompletableFuture().join();
    origin.domain.post(origin.write(before, 0, 1, 2).withImm(2));
    origin.domain.post(origin.write(origin.target(target), 1, 1, 3).withImm(3));

    assertThat(target.events()).containsExactly("imm 3");
    assertThat(target.at(0)).isZero();
    assertThat(target.at(1)).isEqualTo((byte) 5);
    List<String> ended = origin.events();
    assertThat(ended).hasSize(3);
    assertThat(ended.get(0)).startsWith("failed 1 1 ");
    assertThat(ended.get(1)).startsWith("failed 2 1 ");
    assertThat(ended.get(2)).isEqualTo("written 3");
  }

  @Test
  void deregisteredIsGone() {
    origin.fill(5);
    origin.domain.post(origin.write(origin.target(target), 0, 1, 1).withImm(1));
    target.domain.deregister(target.memory);
    assertThat(target.events()).isEmpty();
    assertThat(target.at(0)).isZero();
    assertThat(origin.events()).singleElement().asString().startsWith("failed 1 1 ");
  }

  @Test
  void aLongWriteTakesSeveralTurnsAndARevokeStopsItHalfWay() {
    TestNic slow =
        TestNic.open(
            LoopbackBackend.builder().network(network).maxCopyBytesPerPoll(100).build(), 3);
    origin.fill(5);
    origin.domain.post(origin.write(origin.target(slow), 0, 250, 1).withImm(1));
    origin.domain.post(origin.write(origin.target(slow), 1000, 250, 2).withImm(2));

    assertThat(slow.events()).isEmpty();
    assertThat(slow.at(99)).isEqualTo((byte) 5);
    assertThat(slow.at(100)).isZero();
    assertThat(slow.events()).isEmpty();
    int ringsBefore = slow.rings.get();
    assertThat(slow.events()).containsExactly("imm 1");
    assertThat(slow.rings.get()).as("more to do").isGreaterThan(ringsBefore);
    assertThat(origin.events()).containsExactly("written 1");
    assertThat(slow.at(1049)).isEqualTo((byte) 5);

    slow.memory = slow.domain.revoke(slow.memory).toCompletableFuture().join();
    assertThat(slow.events()).isEmpty();
    assertThat(slow.at(1050)).isZero();
    assertThat(origin.events()).singleElement().asString().startsWith("failed 2 1 ");
  }

  @Test
  void anArenaClosedTooEarlyFailsOneWrite() {
    Arena arena = Arena.ofShared();
    TestNic careless = TestNic.open(backend, 3);
    careless.memory =
        careless
            .domain
            .register(new HostMemory(arena.allocate(64)), Access.REMOTE_WRITE)
            .toCompletableFuture()
            .join();
    origin.domain.post(origin.write(origin.target(careless), 0, 1, 1).withImm(1));
    arena.close();
    assertThat(careless.events()).isEmpty();
    assertThat(origin.events()).singleElement().asString().startsWith("failed 1 5 could not copy");
  }

  @Test
  void refusesDeviceMemoryAndBadBytes() {
    DeviceMemory nowhere = new DeviceMemory(Device.of("gpu", 3), 64, 64);
    assertThatThrownBy(() -> origin.domain.register(nowhere, Access.LOCAL))
        .isInstanceOf(BackendException.class)
        .hasMessageContaining("expected access to device gpu:3");
    assertThat(origin.domain.capabilities().devices()).containsExactly(Device.HOST);
    assertThatThrownBy(() -> origin.domain.resolve(target.id, 0, new byte[3]))
        .isInstanceOf(BackendException.class);
    assertThatThrownBy(() -> origin.domain.resolve(origin.peer(target), new byte[17], 1))
        .isInstanceOf(BackendException.class);
  }

  @Test
  void oneAddressIsOpenOnce() {
    assertThatThrownBy(() -> TestNic.open(backend, 1))
        .isInstanceOf(CompletionException.class)
        .hasRootCauseInstanceOf(BackendException.class)
        .hasMessageContaining("is open already");
  }

  /** A sink that wants nothing but immediates. */
  private static CompletionSink onImm(Runnable action) {
    return (CompletionSink)
        Proxy.newProxyInstance(
            CompletionSink.class.getClassLoader(),
            new Class<?>[] {CompletionSink.class},
            (proxy, method, arguments) -> {
              assertThat(method.getName()).isEqualTo("immArrived");
              action.run();
              return null;
            });
  }
}
