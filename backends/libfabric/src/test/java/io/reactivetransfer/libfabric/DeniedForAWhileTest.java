package io.reactivetransfer.libfabric;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.libfabric.ffi.FiInfo;
import io.reactivetransfer.libfabric.ffi.LibFabric;
import io.reactivetransfer.libfabric.ffi.TapLibFabric;
import io.reactivetransfer.spi.LocalMemory;
import io.reactivetransfer.spi.Operation;
import io.reactivetransfer.spi.RemoteMemory;
import io.reactivetransfer.tck.driver.TwoNics;
import java.lang.foreign.Arena;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

/** Memory that its owner's NIC cannot open to others at the moment, for want of descriptors. */
class DeniedForAWhileTest {

  private static final int LENGTH = 100;
  private static final int EMFILE = 24;

  @AutoClose private final Arena arena = Arena.ofShared();
  private final TapLibFabric tap = new TapLibFabric();
  private final FiInfo info = TapLibFabric.info(arena);
  private boolean lacks;

  /** Calls of which the one that an endpoint is opened with fails while something is lacking. */
  private LibFabric lacking(LibFabric real) {
    return (LibFabric)
        Proxy.newProxyInstance(
            LibFabric.class.getClassLoader(),
            new Class<?>[] {LibFabric.class},
            (proxy, method, of) ->
                lacks && method.getName().equals("fi_endpoint")
                    ? (Object) (-EMFILE)
                    : method.invoke(real, of));
  }

  private LibfabricDomain open(long engine) {
    LibFabric lib = engine == 1 ? tap.lib() : lacking(new TapLibFabric().lib());
    return LibfabricDomain.open(
        new FabricLibrary("tap", lib),
        new ProviderChoice(Provider.of(info.provider()), List.of(info), List.of()),
        info,
        InstalledLibrary.context(engine, Duration.ofSeconds(20)));
  }

  @Test
  void isWrittenToLater() {
    TwoNics nics = TwoNics.open(this::open);
    LocalMemory source = nics.source(arena.allocate(LENGTH));
    LocalMemory memory = nics.openToOrigin(arena.allocate(LENGTH));
    RemoteMemory target = nics.named(memory, LENGTH);
    lacks = true;
    nics.write(source, target, 1, i -> 0, LENGTH, false);
    assertThat(nics.atOrigin().reports()).containsExactly("refused 0");
    assertThat(nics.atOrigin().texts()).singleElement().asString().contains("error 24");
    lacks = false;
    long end = System.nanoTime() + 2 * Peers.DENIED_NANOS;
    nics.until("a while to pass", () -> System.nanoTime() - end > 0);
    Operation op = new Operation().between(source, target).range(0, 0, LENGTH).token(1);
    nics.until("it to be taken over", () -> nics.post(true, op));
    assertThat(tap.written()).hasSize(1);
    tap.completes(tap.written().getFirst());
    nics.untilAllAreReported();
    assertThat(nics.atOrigin().reports()).containsExactly("refused 0", "written 1");
    assertThat(nics.close()).isTrue();
  }

  @Test
  void isNotDeniedIfItWasAskedForInAdvanceOnly() {
    TwoNics nics = TwoNics.open(this::open);
    LocalMemory source = nics.source(arena.allocate(LENGTH));
    RemoteMemory target = nics.named(nics.openToOrigin(arena.allocate(LENGTH)), LENGTH);
    RemoteMemory other = nics.named(nics.openToOrigin(arena.allocate(LENGTH)), LENGTH);
    lacks = true;
    nics.write(source, target, 1, i -> 0, LENGTH, false);
    assertThat(nics.atOrigin().reports()).containsExactly("refused 0");
    lacks = false;
    Operation op = new Operation().between(source, other).range(0, 0, LENGTH).token(1);
    nics.until("it to be taken over", () -> nics.post(true, op));
    nics.until("it to be written", () -> !tap.written().isEmpty());
    tap.completes(tap.written().getFirst());
    nics.untilAllAreReported();
    assertThat(nics.atOrigin().reports()).containsExactly("refused 0", "written 1");
    assertThat(nics.close()).isTrue();
  }
}
