package io.reactivetransfer.engine.peers;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.EngineId;
import io.reactivetransfer.HostPort;
import io.reactivetransfer.PeerAddress;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The control frames in {@code docs/wire-format.md} are what this release sends, byte by byte. */
class ControlFrameVectorsTest {

  private static final Path PAGE = Path.of("../../docs/wire-format.md");
  private static final Pattern VECTOR =
      Pattern.compile("(?m)^(control-[a-z-]+):((?:\\s+[0-9a-f]+)+)$");

  private static final int OURS = 0x01020304;
  private static final int THEIRS = 0x05060708;
  private static final EngineId ORIGIN = new EngineId(0x0001020304050607L, 0x08090a0b0c0d0e0fL);
  private static final EngineId GROUP = new EngineId(0x2021222324252627L, 0x28292a2b2c2d2e2fL);

  private static final SortedSet<EngineId> MEMBERS =
      new TreeSet<>(List.of(ORIGIN, new EngineId(0x1011121314151617L, 0x18191a1b1c1d1e1fL)));

  private static Map<String, String> expected() {
    PeerNic nic = new PeerNic(new byte[] {10, 11}, new byte[] {12, 13});
    PeerAddress address = new PeerAddress("b", ORIGIN, new HostPort("h", 258));
    Greeting greeting = new Greeting(OURS, THEIRS, 258, address, List.of(nic));
    ByteBuffer nicMessage = ByteBuffer.wrap(new byte[] {10, 11});
    ByteBuffer text = ByteBuffer.wrap("abc".getBytes(StandardCharsets.US_ASCII));
    AbortFrame abort = new AbortFrame(9, 7, 840, ControlFrame.FAILS | ControlFrame.NOTE, "no");
    Map<String, String> all = new LinkedHashMap<>();
    all.put("control-hello", hex(greeting.toFrame()));
    all.put("control-message", hex(ControlFrame.message(3, text)));
    all.put("control-credit", hex(ControlFrame.credit(THEIRS, 3, 258, 772)));
    all.put("control-ask", hex(ControlFrame.ask()));
    all.put("control-alive", hex(ControlFrame.alive()));
    all.put("control-abort", hex(ControlFrame.abort(abort, THEIRS)));
    all.put("control-barrier", hex(ControlFrame.barrier(GROUP, THEIRS, 2, 1)));
    all.put("control-barrier-group", hex(bytesOf(BarrierGroup.idOf("abc", MEMBERS))));
    all.put("control-nics-failed", hex(ControlFrame.nicsFailed(0b101)));
    all.put("control-aborted", hex(ControlFrame.aborted(9)));
    all.put("control-cleared", hex(ControlFrame.cleared(7, 9)));
    all.put("control-dismissal", hex(ControlFrame.dismissal("no")));
    all.put("control-nic-message", hex(ControlFrame.nicMessage(1, 0, nicMessage)));
    all.put("control-uses", hex(ControlFrame.uses(258)));
    all.put("control-revoke", hex(ControlFrame.revoke(258)));
    all.put("control-stopped", hex(ControlFrame.stopped(258)));
    all.put("control-fence", hex(ControlFrame.fence(1, 0)));
    all.put("control-fenced", hex(ControlFrame.fenced(0, 1)));
    return all;
  }

  private static ByteBuffer bytesOf(EngineId id) {
    return ByteBuffer.allocate(EngineId.BYTES).putLong(id.high()).putLong(id.low()).flip();
  }

  private static String hex(ByteBuffer frame) {
    byte[] bytes = new byte[frame.remaining()];
    frame.get(bytes);
    return HexFormat.of().formatHex(bytes);
  }

  @Test
  void thePageSaysWhatIsSent() throws IOException {
    Map<String, String> onThePage = new LinkedHashMap<>();
    Matcher vectors = VECTOR.matcher(Files.readString(PAGE));
    while (vectors.find()) {
      onThePage.put(vectors.group(1), vectors.group(2).replaceAll("\\s", ""));
    }
    assertThat(onThePage).containsExactlyEntriesOf(expected());
  }
}
