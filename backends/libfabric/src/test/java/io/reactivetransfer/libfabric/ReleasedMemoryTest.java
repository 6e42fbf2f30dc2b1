package io.reactivetransfer.libfabric;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.libfabric.ffi.FailingLibFabric;
import io.reactivetransfer.libfabric.ffi.Fi;
import io.reactivetransfer.spi.LocalMemory;
import io.reactivetransfer.spi.Operation;
import io.reactivetransfer.spi.RemoteMemory;
import io.reactivetransfer.tck.driver.TwoNics;
import java.lang.foreign.Arena;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Memory of a peer that is released leaves neither a connection nor an address behind. */
class ReleasedMemoryTest {

  private static final int LENGTH = 4_096;

  private final Arena arena = Arena.ofShared();
  private final LibfabricSettings settings = InstalledLibrary.with("tcp");
  private final FabricLibrary library = FabricLibrary.load(settings.library());
  private final FailingLibFabric atOrigin = new FailingLibFabric(library.lib(), 0, Fi.FI_ENOMEM);
  private final FailingLibFabric atTarget = new FailingLibFabric(library.lib(), 0, Fi.FI_ENOMEM);
  private final TwoNics nics = open();
  private final LocalMemory source = nics.source(arena.allocate(LENGTH, 64));

  private TwoNics open() {
    ProviderChoice choice = library.choose(settings);
    return TwoNics.open(engine ->
        LibfabricDomain.open(
            new FabricLibrary("counted", (engine == 1 ? atOrigin : atTarget).calls()),
            choice,
            choice.infos().getFirst(),
            InstalledLibrary.context(engine, Duration.ofSeconds(20))));
  }

  @AfterEach
  void close() {
    assertThat(nics.close()).isTrue();
    assertThat(atOrigin.mistakes()).isEmpty();
    assertThat(atTarget.mistakes()).isEmpty();
    arena.close();
  }

  private LocalMemory register() {
    return nics.openToOrigin(arena.allocate(LENGTH, 64));
  }

  private RemoteMemory writeTo(LocalMemory memory) {
    RemoteMemory named = nics.named(memory, LENGTH);
    writeTo(named);
    return named;
  }

  private void writeTo(RemoteMemory named) {
    nics.write(source, named, 1, i -> 0, LENGTH, true);
    assertThat(nics.atOrigin().reports()).allMatch(report -> report.startsWith("written"));
  }

  private static long endpoints(FailingLibFabric of) {
    return of.open().stream().filter(each -> each.startsWith("fi_endpoint")).count();
  }

  /** One endpoint stays with the peer where it needs no connections. */
  private void assertNothingIsLeft() {
    boolean connects = library.choose(settings).provider().connects();
    assertThat(endpoints(atOrigin)).isEqualTo(connects ? 0 : 1);
    assertThat(atOrigin.addresses()).isZero();
  }

  @Test
  void thatItsOwnerHasClosed() {
    for (int i = 0; i < 5; i++) {
      LocalMemory memory = register();
      RemoteMemory named = writeTo(memory);
      TwoNics.join(nics.target().deregister(memory));
      nics.origin().release(named);
      assertNothingIsLeft();
    }
  }

  @Test
  void thatItsOwnerKeepsAndThatIsWrittenToAgain() {
    LocalMemory memory = register();
    for (int i = 0; i < 5; i++) {
      nics.origin().release(writeTo(memory));
      assertNothingIsLeft();
    }
    TwoNics.join(nics.target().deregister(memory));
    nics.until("the target's ends to be closed", () -> endpoints(atTarget) == 0);
  }

  @Test
  void butOnlyWhenNobodyElseHasResolvedIt() {
    LocalMemory memory = register();
    RemoteMemory one = writeTo(memory);
    RemoteMemory other = writeTo(memory);
    long endpoints = endpoints(atOrigin);
    nics.origin().release(one);
    writeTo(other);
    assertThat(endpoints(atOrigin)).as("over the same way").isEqualTo(endpoints);
    nics.origin().release(other);
    assertNothingIsLeft();
  }

  @Test
  void thatIsReleasedBeforeItsOwnerHasSaidWhereItIs() {
    LocalMemory memory = register();
    for (int i = 0; i < 5; i++) {
      RemoteMemory named = nics.named(memory, LENGTH);
      Operation op = new Operation().between(source, named).range(0, 0, LENGTH).token(1);
      assertThat(nics.post(true, op)).as("before anybody was asked").isFalse();
      nics.origin().release(named);
      // Answers come in the order of the questions.
      nics.origin().release(writeTo(memory));
      assertNothingIsLeft();
    }
  }

  @Test
  void whateverBecameOfThePeerBefore() {
    RemoteMemory named = writeTo(register());
    RemoteMemory never = nics.named(register(), LENGTH);
    nics.disconnect();
    nics.origin().release(named);
    nics.origin().release(never);
    assertThat(endpoints(atOrigin)).isZero();
    assertThat(atOrigin.addresses()).isZero();
    writeTo(register());
  }
}
