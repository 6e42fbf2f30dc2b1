package io.reactivetransfer.kvcache;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.Access;
import io.reactivetransfer.EngineId;
import io.reactivetransfer.HostPort;
import io.reactivetransfer.Imm;
import io.reactivetransfer.PageList;
import io.reactivetransfer.PeerAddress;
import io.reactivetransfer.RegionDescriptor;
import io.reactivetransfer.TraceContext;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The test vectors in {@code docs/kv-cache-messages.md} are what this release sends. */
class KvVectorsTest {

  private static final Path PAGE = Path.of("../../docs/kv-cache-messages.md");

  private static RegionDescriptor region() {
    PeerAddress owner = new PeerAddress("tcp", new EngineId(1, 10), new HostPort("10.0.0.1", 4711));
    return new RegionDescriptor(
        owner, 5, 1_024, Access.REMOTE_WRITE, List.of(new byte[] {1, 2, 3, 4}));
  }

  private static KvMessage.Request request() {
    KvLayout layout = KvLayout.opaque(2, 8, 64);
    return new KvMessage.Request(
        7,
        "decode-3",
        "llama",
        new KvMessage.Target(layout, List.of(region()), PageList.of(3, 1), null),
        new KvMessage.Imms(Imm.of(Imm.FIRST_LEASED), 1),
        4,
        KvMapping.between(layout, layout).checksum(),
        new KvSpan(0, 2),
        Duration.ofSeconds(60),
        TraceContext.of(
            Map.of("traceparent", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01")),
        ByteBuffer.wrap("once".getBytes(StandardCharsets.UTF_8)));
  }

  /** As it stands on the page: 32 bytes in a line. */
  private static void requireOnPage(KvMessage message) throws IOException {
    StringBuilder lines = new StringBuilder();
    byte[] bytes = KvCodecTest.bytes(message);
    for (int at = 0; at < bytes.length; at += 32) {
      lines
          .append(HexFormat.of().formatHex(bytes, at, Math.min(bytes.length, at + 32)))
          .append('\n');
    }
    assertThat(Files.readString(PAGE)).contains("```\n" + lines + "```");
  }

  @Test
  void aRequest() throws IOException {
    requireOnPage(request());
  }

  @Test
  void anEnd() throws IOException {
    requireOnPage(new KvMessage.End(7, KvMessage.Outcome.CANCELLED, false, 4, "cancelled"));
  }
}
