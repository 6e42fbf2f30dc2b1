package io.reactivetransfer.examples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivetransfer.Peer;
import io.reactivetransfer.PeerUnreachableException;
import io.reactivetransfer.TransferEngine;
import io.reactivetransfer.engine.TransferEngineBuilder;
import io.reactivetransfer.loopback.LoopbackBackend;
import io.reactivetransfer.loopback.LoopbackNetwork;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** What docs/backends/loopback.md shows is what is compiled and runs here. */
class LoopbackDocTest {

  private static final Path DOC = Path.of("../docs/backends/loopback.md");
  private static final Path HERE =
      Path.of("src/test/java/io/reactivetransfer/examples/LoopbackDocTest.java");

  @Test
  void itsLinesOfJavaAreCompiledHere() throws IOException {
    String compiled = bare(Files.readString(HERE));
    List<String> blocks =
        Pattern.compile("```java\\n(.*?)```", Pattern.DOTALL)
            .matcher(Files.readString(DOC))
            .results()
            .map(block -> block.group(1))
            .toList();
    assertThat(blocks).hasSize(2).allSatisfy(block -> assertThat(compiled).contains(bare(block)));
  }

  /** However it is laid out. */
  private static String bare(String code) {
    return code.replaceAll("\\s+", "");
  }

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
