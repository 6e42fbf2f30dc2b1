package io.reactivetransfer.libfabric;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.libfabric.ffi.TapLibFabric;
import java.lang.foreign.Arena;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

/** Who asks to connect while a NIC is closed. */
class ConnectedLinksTest {

  private static final int MANY = 200;

  @AutoClose private final Arena arena = Arena.ofShared();
  private final TapLibFabric tap = new TapLibFabric();

  /** What the provider keeps of a request that nobody answers is never freed. */
  @Test
  void isRefusedHoweverManyAsk() {
    OpenFabric fabric = new OpenFabric(tap.lib(), TapLibFabric.info(arena), arena);
    Links links = new ConnectedLinks(fabric, new RandomKeys(), arena);
    tap.requested(MANY);
    links.close();
    assertThat(tap.rejected()).isEqualTo(MANY);
    fabric.close();
  }
}
