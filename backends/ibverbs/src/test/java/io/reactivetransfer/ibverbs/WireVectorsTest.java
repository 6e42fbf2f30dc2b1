package io.reactivetransfer.ibverbs;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.ibverbs.SetUp.QueuePair;
import io.reactivetransfer.ibverbs.ffi.Gid;
import io.reactivetransfer.ibverbs.ffi.Ib;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/**
 * The test vectors of the third part of {@code docs/wire-format.md} are what this release says,
 * byte by byte.
 */
class WireVectorsTest {

  private static final Path PAGE = Path.of("../../docs/wire-format.md");
  private static final Pattern VECTOR = Pattern.compile("(?m)^([a-z-]+):((?:\\s+[0-9a-f]+)+)$");
  private static final int SERIAL = 258;

  private static Map<String, String> expected() {
    QueuePair own = new QueuePair(0x123456, 0xabcd, Ib.IBV_MTU_4096);
    VerbsAddress address =
        new VerbsAddress(
            Ib.IBV_LINK_LAYER_ETHERNET, Ib.IBV_MTU_4096, 0, new Gid(0, 0xffff_0a00_0007L));
    Map<String, String> all = new LinkedHashMap<>();
    all.put("request", hex(SetUp.request(SERIAL, own)));
    all.put("reply", hex(SetUp.reply(SERIAL, own)));
    all.put("reject", hex(SetUp.reject(SERIAL, "no")));
    all.put("disconnect", hex(SetUp.disconnect(SERIAL)));
    all.put("nic-address", HexFormat.of().formatHex(address.encode()));
    all.put(
        "memory-key",
        HexFormat.of().formatHex(new VerbsMemory.Key(0x0001020304050607L, 0x08090a0b).encode()));
    return all;
  }

  private static String hex(ByteBuffer message) {
    byte[] bytes = new byte[message.remaining()];
    message.get(bytes);
    return HexFormat.of().formatHex(bytes);
  }

  @Test
  void thePageSaysWhatIsSaid() throws IOException {
    Map<String, String> onThePage = new LinkedHashMap<>();
    String page = Files.readString(PAGE);
    Matcher vectors =
        VECTOR.matcher(page.substring(page.indexOf("\n# Part 3"), page.indexOf("\n# Part 4")));
    while (vectors.find()) {
      onThePage.put(vectors.group(1), vectors.group(2).replaceAll("\\s", ""));
    }
    assertThat(onThePage).containsExactlyEntriesOf(expected());
  }
}
