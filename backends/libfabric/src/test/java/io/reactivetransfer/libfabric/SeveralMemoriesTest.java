package io.reactivetransfer.libfabric;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.libfabric.ffi.FailingLibFabric;
import io.reactivetransfer.libfabric.ffi.Fi;
import io.reactivetransfer.spi.LocalMemory;
import io.reactivetransfer.spi.RemoteMemory;
import io.reactivetransfer.tck.driver.TwoNics;
import java.lang.foreign.Arena;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Several memories of a peer are asked for at once, and connected to at once. */
class SeveralMemoriesTest {

  private static final int LENGTH = 4_096;
  private static final int MEMORIES = 2 * Peers.MOST_ASKED;

  private final Arena arena = Arena.ofShared();
  private final LibfabricSettings settings = InstalledLibrary.with("tcp");
  private final FabricLibrary library = FabricLibrary.load(settings.library());
  private final FailingLibFabric atTarget = new FailingLibFabric(library.lib(), 0, Fi.FI_ENOMEM);
  private final TwoNics nics = open();

  private TwoNics open() {
    ProviderChoice choice = library.choose(settings);
    return TwoNics.open(engine ->
        LibfabricDomain.open(
            engine == 1 ? library : new FabricLibrary("counted", atTarget.calls()),
            choice,
            choice.infos().getFirst(),
            InstalledLibrary.context(engine, Duration.ofSeconds(20))));
  }

  @AfterEach
  void close() {
    assertThat(nics.close()).isTrue();
    assertThat(atTarget.mistakes()).isEmpty();
    arena.close();
  }

  private long connections() {
    return atTarget.open().stream().filter(each -> each.startsWith("fi_endpoint")).count();
  }

  private List<RemoteMemory> named() {
    List<RemoteMemory> named = new ArrayList<>();
    for (int i = 0; i < MEMORIES; i++) {
      LocalMemory memory = nics.openToOrigin(arena.allocate(LENGTH, 64));
      named.add(nics.named(memory, LENGTH));
    }
    return named;
  }

  @Test
  void haveTheirConnectionsWhenTheFirstIsWrittenTo() {
    List<RemoteMemory> named = named();
    LocalMemory source = nics.source(arena.allocate(LENGTH, 64));
    nics.write(source, named.getFirst(), 1, i -> 0, LENGTH, true);
    nics.until("connections", () -> connections() >= Peers.MOST_ASKED);
    for (RemoteMemory memory : named) {
      nics.write(source, memory, 1, i -> 0, LENGTH, true);
    }
    assertThat(nics.atOrigin().reports())
        .hasSize(MEMORIES + 1)
        .allMatch(report -> report.startsWith("written"));
    assertThat(connections()).as("over the same ones").isEqualTo(MEMORIES);
  }

  @Test
  void thatWereReleasedAreNotConnectedTo() {
    List<RemoteMemory> named = named();
    named.subList(1, MEMORIES).forEach(nics.origin()::release);
    LocalMemory source = nics.source(arena.allocate(LENGTH, 64));
    nics.write(source, named.getFirst(), 1, i -> 0, LENGTH, true);
    nics.write(source, named.getFirst(), 1, i -> 0, LENGTH, true);
    assertThat(connections()).isEqualTo(1);
  }
}
