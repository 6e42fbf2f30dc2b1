package io.reactivetransfer.examples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivetransfer.Peer;
import io.reactivetransfer.PeerUnreachableException;
import io.reactivetransfer.TransferEngine;
import io.reactivetransfer.engine.TransferEngineBuilder;
import io.reactivetransfer.loopback.LoopbackBackend;
import io.reactivetransfer.loopback.LoopbackNetwork;
import org.junit.jupiter.api.Test;

/** What docs/backends/loopback.md shows runs here, where it is compiled. */
class LoopbackDocTest {

  @Test
  void anEngineIsOpenedByTheName() {
    TransferEngine engine = TransferEngineBuilder.create().backend("loopback").open().block();
    assertThat(engine.address().control().host()).isEqualTo("loopback");
    engine.close().block();
  }

  @Test
  void enginesOfOneNetworkFindEachOtherAndNobodyElse() {
    LoopbackNetwork network = new LoopbackNetwork();
    LoopbackBackend backend =
        LoopbackBackend.builder()
            .network(network)
            .maxWriteBytes(1 << 16) // what is longer goes in pieces
            .reorder(7) // out of order, as a network may
            .build();
    TransferEngine origin = TransferEngineBuilder.create().backend(backend).open().block();
    TransferEngine target = TransferEngineBuilder.create().backend(backend).open().block();
    Peer peer = origin.peer(target.address().control()).block();
    assertThat(peer.address().engine()).isEqualTo(target.address().engine());
    assertThat(target.address().control()).hasToString("loopback:2");

    LoopbackBackend elsewhere = LoopbackBackend.builder().network(new LoopbackNetwork()).build();
    TransferEngine stranger = TransferEngineBuilder.create().backend(elsewhere).open().block();
    assertThat(stranger.address().control()).hasToString("loopback:1");
    assertThatThrownBy(() -> stranger.peer(target.address().control()).block())
        .isInstanceOf(PeerUnreachableException.class)
        .hasMessageContaining("nobody is there in this JVM and network");

    origin.close().then(target.close()).then(stranger.close()).block();
  }
}
