package io.reactivetransfer.libfabric;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.Access;
import io.reactivetransfer.HostMemory;
import io.reactivetransfer.libfabric.ffi.FailingLibFabric;
import io.reactivetransfer.libfabric.ffi.LibFabric;
import io.reactivetransfer.spi.Domain;
import io.reactivetransfer.spi.LocalMemory;
import io.reactivetransfer.spi.Operation;
import io.reactivetransfer.spi.RemoteMemory;
import java.lang.foreign.Arena;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A write that the provider never had has not arrived, and leaves no immediate in doubt. */
class RefusedTest {

  private static final Duration TIMEOUT = Duration.ofSeconds(10);
  private static final long PATIENCE_NANOS = 30_000_000_000L;
  private static final long LENGTH = 100;

  private final LibfabricSettings settings = InstalledLibrary.with("tcp");
  private final FabricLibrary library = FabricLibrary.load(settings.library());
  private final Arena arena = Arena.ofShared();
  private final Recorder atOrigin = new Recorder();
  private final Recorder atTarget = new Recorder();
  private final Domain target = open(library, 2);
  private Domain origin = open(library, 1);

  @AfterEach
  void close() {
    origin.close();
    target.close();
    arena.close();
  }

  private Domain open(FabricLibrary library, long engine) {
    ProviderChoice choice = this.library.choose(settings);
    return LibfabricDomain.open(
        library, choice, choice.infos().getFirst(), InstalledLibrary.context(engine, TIMEOUT));
  }

  private LocalMemory register(Domain domain, Access access) {
    return domain
        .register(new HostMemory(arena.allocate(LENGTH, 64)), access)
        .toCompletableFuture()
        .join();
  }

  /** Writes with an immediate until it is taken over, and then waits for the report. */
  private void write(LocalMemory to, long length) {
    TwoNics nics = new TwoNics(origin, atOrigin, target, atTarget);
    RemoteMemory there = origin.resolve(nics.target(), to.key(), LENGTH);
    LocalMemory source = register(origin, Access.LOCAL);
    Operation op = new Operation().between(source, there).range(0, 0, length).token(1).withImm(7);
    long begin = System.nanoTime();
    boolean taken = false;
    while (atOrigin.reportsOf(1) == 0 && System.nanoTime() - begin < PATIENCE_NANOS) {
      taken = taken || origin.post(op).isTaken();
      nics.turn();
    }
  }

  @Test
  void aWriteToMemoryThatWasRevoked() {
    LocalMemory memory = register(target, Access.REMOTE_WRITE);
    target.revoke(memory);
    write(memory, LENGTH);
    assertThat(atOrigin.reports()).containsExactly("refused 1");
    assertThat(atOrigin.texts()).singleElement().asString().contains("it was revoked");
  }

  @Test
  void aWriteThatDoesNotFit() {
    write(register(target, Access.REMOTE_WRITE), LENGTH + 1);
    assertThat(atOrigin.reports()).containsExactly("refused 1");
    assertThat(atOrigin.texts()).singleElement().asString().contains("expected a range");
  }

  @Test
  void aWriteThatTheProviderDoesNotTake() {
    refuses("fi_writemsg");
  }

  @Test
  void aWriteForWhichNoConnectionCanBeMade() {
    refuses("fi_connect");
  }

  private void refuses(String call) {
    LibFabric failing = FailingLibFabric.always(library.lib(), call).lib();
    origin.close();
    origin = open(new FabricLibrary("the library under test", failing), 1);
    write(register(target, Access.REMOTE_WRITE), LENGTH);
    assertThat(atOrigin.reports()).containsExactly("refused 1");
    assertThat(atOrigin.texts()).singleElement().asString().contains(call);
  }
}
