package io.reactivetransfer.libfabric;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.EngineId;
import io.reactivetransfer.libfabric.ffi.TapLibFabric;
import java.lang.foreign.Arena;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What becomes of endpoints when a peer goes. */
class DatagramLinksTest {

  private final Arena arena = Arena.ofShared();
  private final TapLibFabric tap = new TapLibFabric();
  private final OpenFabric fabric = new OpenFabric(tap.lib(), TapLibFabric.info(arena), arena);
  private final FabricPeer one = new FabricPeer(new EngineId(1, 1));
  private final FabricPeer other = new FabricPeer(new EngineId(2, 2));

  @AfterEach
  void close() {
    fabric.close();
    arena.close();
  }

  private Links linksToBoth(boolean endpointForEach) {
    Links links = new DatagramLinks(fabric, arena, endpointForEach);
    links.connect(one, new byte[] {1});
    links.connect(other, new byte[] {2});
    assertThat(tap.addresses()).isEqualTo(2);
    return links;
  }

  @Test
  void aSharedEndpointStaysWhenAPeerIsReleased() {
    Links links = linksToBoth(false);
    Initiator way = links.connect(other, new byte[] {2});
    links.release(one);
    assertThat(tap.addresses()).isEqualTo(1);
    assertThat(tap.closed()).isEmpty();
    assertThat(way.isReady()).isTrue();
  }

  @Test
  void aSharedEndpointIsClosedWhenAPeerIsDisconnected() {
    Links links = linksToBoth(false);
    Initiator way = links.connect(other, new byte[] {2});
    links.disconnect(one, 0, "the test ends it");
    assertThat(tap.addresses()).isZero();
    assertThat(tap.closed()).containsExactly(way.fid());
    assertThat(way.isReady()).isFalse();
  }

  @Test
  void anEndpointOfItsOwnGoesWithItsPeer() {
    Links links = linksToBoth(true);
    Initiator way = links.connect(one, new byte[] {1});
    links.release(one);
    assertThat(tap.addresses()).isEqualTo(1);
    assertThat(tap.closed()).containsExactly(way.fid());
    assertThat(links.connect(other, new byte[] {2}).isReady()).isTrue();
  }

  /** Else as many addresses would stay as the peer has ever opened memory to this side. */
  @Test
  void anAddressOfOneMemoryGoesWithIt() {
    Links links = linksToBoth(true);
    Initiator way = links.connect(one, new byte[] {1});
    Initiator next = links.connect(one, new byte[] {3});
    links.forget(way);
    assertThat(tap.addresses()).isEqualTo(2);
    assertThat(way.isReady()).isFalse();
    assertThat(next.isReady()).isTrue();
    assertThat(links.connect(one, new byte[] {1})).isNotSameAs(way);
    links.forget(way);
    assertThat(tap.addresses()).as("once").isEqualTo(3);
    assertThat(tap.closed()).as("others are written to through its endpoint").isEmpty();
  }

  @Test
  void anAddressOfAllMemoryStaysAsLongAsItsPeer() {
    Links links = linksToBoth(false);
    Initiator way = links.connect(one, new byte[] {1});
    links.forget(way);
    assertThat(tap.addresses()).isEqualTo(2);
    assertThat(way.isReady()).isTrue();
    assertThat(links.connect(one, new byte[] {1})).isSameAs(way);
  }
}
