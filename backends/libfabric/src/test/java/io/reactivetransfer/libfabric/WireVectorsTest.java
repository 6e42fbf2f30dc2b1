package io.reactivetransfer.libfabric;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.EngineId;
import io.reactivetransfer.spi.PeerText;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The test vectors of the fifth part of {@code docs/wire-format.md} are what this release says. */
class WireVectorsTest {

  private static final Path PAGE = Path.of("../../docs/wire-format.md");
  private static final Pattern VECTOR = Pattern.compile("(?m)^([a-z-]+):\\s+([0-9a-f]+)$");
  private static final long ASK = 258;
  private static final Token KEY = new Token(0x2021222324252627L, 0x28292a2b2c2d2e2fL);

  private static Map<String, String> onThePage() throws IOException {
    String page = Files.readString(PAGE);
    Matcher vectors = VECTOR.matcher(page.substring(page.indexOf("\n# Part 5")));
    Map<String, String> found = new LinkedHashMap<>();
    while (vectors.find()) {
      found.put(vectors.group(1), vectors.group(2));
    }
    return found;
  }

  private static String hex(ByteBuffer message) {
    byte[] bytes = new byte[message.remaining()];
    message.get(bytes);
    return HexFormat.of().formatHex(bytes);
  }

  @Test
  void addressesAndQuestionsAreThoseOfThePage() throws IOException {
    Map<String, String> page = onThePage();
    assertThat(page).containsOnlyKeys("nic-address", "ask", "grant", "deny");
    assertThat(page)
        .containsEntry(
            "nic-address", HexFormat.of().formatHex(new FabricAddress("tcp", ASK).encode()))
        .containsEntry("ask", hex(Asks.ask(ASK, KEY)));
  }

  /** The other answer needs memory, so here it is read. */
  @Test
  void answersAreThoseOfThePage() throws IOException {
    Map<String, String> page = onThePage();
    ByteBuffer grant =
        ByteBuffer.wrap(HexFormat.of().parseHex(Objects.requireNonNull(page.get("grant"))));
    assertThat(grant.get()).isEqualTo(Asks.GRANT);
    assertThat(grant.getLong()).isEqualTo(ASK);
    assertThat(Asks.isGrant(grant)).isTrue();
    Route route = new Route(new FabricPeer(new EngineId(1, 1)), KEY);
    Asks.granted(route, grant);
    assertThat(route.base()).isEqualTo(4096);
    assertThat(route.key()).isEqualTo(7);
    assertThat(route.holds(0, 1024)).isTrue();
    assertThat(route.holds(1, 1024)).isFalse();
    assertThat(route.landing()).containsExactly(0xaa, 0xbb);

    ByteBuffer deny =
        ByteBuffer.wrap(HexFormat.of().parseHex(Objects.requireNonNull(page.get("deny"))));
    assertThat(deny.get()).isEqualTo(Asks.DENY);
    assertThat(deny.getLong()).isEqualTo(ASK);
    assertThat(PeerText.of(deny)).isEqualTo("no");
  }
}
