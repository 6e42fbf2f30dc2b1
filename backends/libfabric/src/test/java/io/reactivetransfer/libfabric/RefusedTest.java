package io.reactivetransfer.libfabric;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.libfabric.ffi.FailingLibFabric;
import io.reactivetransfer.libfabric.ffi.LibFabric;
import io.reactivetransfer.spi.LocalMemory;
import io.reactivetransfer.tck.driver.TwoNics;
import java.lang.foreign.Arena;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A write that the provider never had has not arrived, and leaves no immediate in doubt. */
class RefusedTest {

  private static final Duration TIMEOUT = Duration.ofSeconds(10);
  private static final long LENGTH = 100;

  private final LibfabricSettings settings = InstalledLibrary.with("tcp");
  private final FabricLibrary library = FabricLibrary.load(settings.library());
  private final Arena arena = Arena.ofShared();
  private TwoNics nics = open(library);

  @AfterEach
  void close() {
    assertThat(nics.close()).isTrue();
    arena.close();
  }

  private TwoNics open(FabricLibrary atOrigin) {
    ProviderChoice choice = library.choose(settings);
    return TwoNics.open(engine ->
        LibfabricDomain.open(
            engine == 1 ? atOrigin : library,
            choice,
            choice.infos().getFirst(),
            InstalledLibrary.context(engine, TIMEOUT)));
  }

  private LocalMemory register() {
    return nics.openToOrigin(arena.allocate(LENGTH, 64));
  }

  /** Writes with an immediate until it is taken over, and then waits for the report. */
  private void write(LocalMemory to, long length) {
    LocalMemory source = nics.source(arena.allocate(LENGTH, 64));
    nics.write(source, nics.named(to, LENGTH), 1, i -> 0, length, true);
  }

  @Test
  void aWriteToMemoryThatWasRevoked() {
    LocalMemory memory = register();
    nics.target().revoke(memory);
    write(memory, LENGTH);
    assertThat(nics.atOrigin().reports()).containsExactly("refused 0");
    assertThat(nics.atOrigin().texts()).singleElement().asString().contains("it was revoked");
  }

  @Test
  void aWriteThatDoesNotFit() {
    write(register(), LENGTH + 1);
    assertThat(nics.atOrigin().reports()).containsExactly("refused 0");
    assertThat(nics.atOrigin().texts()).singleElement().asString().contains("expected a range");
  }

  @Test
  void aWriteThatTheProviderDoesNotTake() {
    refuses("fi_writemsg");
  }

  /** Behind the loss of the way: another NIC may have one. */
  @Test
  void aWriteForWhichNoConnectionCanBeMade() {
    refuses("fi_connect");
    assertThat(nics.atOrigin().reports()).containsExactly("lost 2", "refused 0");
  }

  private void refuses(String call) {
    LibFabric failing = FailingLibFabric.always(library.lib(), call).calls();
    assertThat(nics.close()).isTrue();
    nics = open(new FabricLibrary("the library under test", failing));
    write(register(), LENGTH);
    assertThat(nics.atOrigin().reports()).endsWith("refused 0");
    assertThat(nics.atOrigin().texts()).allSatisfy(text -> assertThat(text).contains(call));
  }
}
