package io.reactivetransfer.ibverbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.reactivetransfer.ibverbs.ffi.FailingVerbs;
import io.reactivetransfer.ibverbs.ffi.FakeVerbs;
import io.reactivetransfer.spi.BackendException;
import io.reactivetransfer.spi.LocalMemory;
import io.reactivetransfer.spi.Operation;
import io.reactivetransfer.spi.RemoteMemory;
import io.reactivetransfer.tck.driver.TwoNics;
import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A key that cannot be renewed, or not be ended, stays the present one, and can be tried again; one
 * of memory that was freed is ended without being asked.
 */
@Timeout(30)
class RevocationTest {

  private static final int LENGTH = 100;
  private static final int REVOCATIONS = 4;
  private static final int MANY = 1_000;

  private final FakeVerbs fake = new FakeVerbs(2);

  @ParameterizedTest
  @ValueSource(strings = {"ibv_reg_mr_iova2", "ibv_dereg_mr"})
  void leavesTheOldKeyWhereItFails(String call) {
    FailingVerbs failing = new FailingVerbs(fake, 0);
    TwoNics nics = FakeNics.open(fake, failing.calls());
    try (Arena arena = Arena.ofShared()) {
      LocalMemory source = nics.source(arena.allocate(LENGTH));
      LocalMemory local = nics.openToOrigin(arena.allocate(LENGTH));
      RemoteMemory old = nics.named(local, LENGTH);
      nics.write(source, old, 1, i -> 0, LENGTH, false);
      failing.always(call);
      assertThatExceptionOfType(BackendException.class)
          .isThrownBy(() -> TwoNics.join(nics.target().revoke(local)))
          .withMessageStartingWith(call + " failed");
      failing.always(null);
      nics.write(source, old, 1, i -> 0, LENGTH, false);
      assertThat(nics.atOrigin().count("written")).as("under the old key").isEqualTo(2);
      RemoteMemory renewed = nics.named(TwoNics.join(nics.target().revoke(local)), LENGTH);
      nics.write(source, old, 1, i -> 0, LENGTH, false);
      nics.write(source, renewed, 1, i -> 0, LENGTH, false);
      assertThat(nics.atOrigin().reports()).endsWith("refused 2", "written 3");
      assertThat(nics.close()).isTrue();
    }
    assertThat(fake.open()).isEmpty();
    assertThat(fake.mistakes()).isEmpty();
  }

  /** The fake gives out the number of a registration that has ended again, as ConnectX does. */
  @Test
  void namesNothingAgainThatWasNamedBefore() {
    TwoNics nics = FakeNics.open(fake, fake);
    try (Arena arena = Arena.ofShared()) {
      LocalMemory source = nics.source(arena.allocate(LENGTH));
      LocalMemory local = nics.openToOrigin(arena.allocate(LENGTH));
      List<RemoteMemory> old = new ArrayList<>();
      for (int i = 0; i < REVOCATIONS; i++) {
        old.add(nics.named(local, LENGTH));
        local = TwoNics.join(nics.target().revoke(local));
        for (RemoteMemory each : old) {
          nics.write(source, each, 1, j -> 0, LENGTH, true);
        }
      }
      assertThat(nics.atOrigin().count("written")).isZero();
      nics.write(source, nics.named(local, LENGTH), 1, i -> 0, LENGTH, true);
      assertThat(nics.atOrigin().count("written")).as("under the last one").isEqualTo(1);
      assertThat(nics.close()).isTrue();
    }
    assertThat(fake.mistakes()).isEmpty();
  }

  /** Its owner is told behind the next poll that nothing is counted any more. */
  @Test
  void countsAllThatHadComeWithTheNextPoll() {
    TwoNics nics = FakeNics.open(fake, fake);
    try (Arena arena = Arena.ofShared()) {
      Operation op =
          new Operation()
              .between(
                  nics.source(arena.allocate(LENGTH)),
                  nics.named(nics.openToOrigin(arena.allocate(LENGTH)), LENGTH))
              .range(0, 0, LENGTH)
              .withImm(5);
      LocalMemory other = nics.openToOrigin(arena.allocate(LENGTH));
      nics.until("a connection", () -> nics.post(true, op.token(0)));
      nics.until("the first one", () -> nics.atOrigin().count("written") == 1);
      while (nics.atOrigin().count("written") < MANY) {
        boolean ignored = nics.post(true, op.token(1));
        nics.poll(true); // and not the target
      }
      long counted = nics.atTarget().count("imm");
      assertThat(counted).isLessThan(MANY / 2);
      LocalMemory renewed = TwoNics.join(nics.target().revoke(other));
      nics.poll(false);
      assertThat(nics.atTarget().count("imm")).isGreaterThanOrEqualTo(MANY);
      assertThat(renewed.key()).isNotEqualTo(other.key());
      assertThat(nics.close()).isTrue();
    }
    assertThat(fake.mistakes()).isEmpty();
  }

  @Test
  void endsTheKeyOfMemoryThatIsFreed() {
    TwoNics nics = FakeNics.open(fake, fake);
    try (Arena arena = Arena.ofShared()) {
      LocalMemory source = nics.source(arena.allocate(LENGTH));
      Arena careless = Arena.ofShared();
      LocalMemory local = nics.openToOrigin(careless.allocate(LENGTH));
      RemoteMemory named = nics.named(local, LENGTH);
      nics.write(source, named, 1, i -> 0, LENGTH, true);
      int before = fake.open().size();
      careless.close();
      nics.until("the end of its key", () -> fake.open().size() == before - 1);
      nics.write(source, named, 1, i -> 0, LENGTH, true);
      assertThat(nics.atOrigin().reports().getLast()).as("under that key").startsWith("refused");
      LocalMemory renewed = TwoNics.join(nics.target().revoke(local));
      nics.write(source, nics.named(renewed, LENGTH), 1, i -> 0, LENGTH, true);
      assertThat(nics.atOrigin().reports().getLast()).as("under a new key").startsWith("refused");
      LocalMemory other = nics.openToOrigin(arena.allocate(LENGTH));
      nics.write(source, nics.named(other, LENGTH), 1, i -> 0, LENGTH, true);
      assertThat(nics.atOrigin().reports().getLast()).as("in its place").startsWith("written");
      assertThat(nics.close()).isTrue();
    }
    assertThat(fake.open()).isEmpty();
    assertThat(fake.mistakes()).isEmpty();
  }
}
