package io.reactivetransfer.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.reactivetransfer.EngineId;
import io.reactivetransfer.control.socket.ErrorCode;
import io.reactivetransfer.control.socket.Failure;
import io.reactivetransfer.spi.Operation;
import io.reactivetransfer.tcp.Authentication.Role;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/**
 * The test vectors of the second part of {@code docs/wire-format.md} are what this release sends,
 * byte by byte.
 */
class WireVectorsTest {

  private static final Path PAGE = Path.of("../../docs/wire-format.md");
  private static final Pattern VECTOR = Pattern.compile("(?m)^([a-z-]+):((?:\\s+[0-9a-f]+)+)$");

  private static final EngineId ORIGIN = new EngineId(0x0001020304050607L, 0x08090a0b0c0d0e0fL);
  private static final EngineId TARGET = new EngineId(0x1011121314151617L, 0x18191a1b1c1d1e1fL);
  private static final MemoryKey KEY = new MemoryKey(0x2021222324252627L, 0x28292a2b2c2d2e2fL);

  private static byte[] count(int from, int length) {
    byte[] bytes = new byte[length];
    for (int i = 0; i < length; i++) {
      bytes[i] = (byte) (from + i);
    }
    return bytes;
  }

  private static Map<String, String> expected() {
    Authentication knowing = new Authentication(new KeySource(), ORIGIN, _ -> count(0x60, 32));
    Handshake.Hello hello = new Handshake.Hello(ORIGIN, TARGET, 1, count(0x30, 32));
    byte[] challenge = count(0x80, 32);
    byte[] ofOrigin = knowing.proof(Role.DIALLER, hello, challenge, new byte[0]);
    byte[] ofTarget = knowing.proof(Role.ACCEPTOR, hello, challenge, new byte[0]);
    Failure code16 = ErrorCode.UNKNOWN_KEY.because("no such key");
    Map<String, String> all = new LinkedHashMap<>();
    all.put("hello", hex(Handshake.putHello(out(), hello)));
    all.put("challenge", hex(Handshake.putChallenge(out(), new Handshake.Challenge(challenge))));
    all.put("proof", hex(Handshake.putProof(out(), ofOrigin)));
    all.put("welcome", hex(welcome(null)));
    all.put("welcome-with-proof", hex(welcome(ofTarget)));
    all.put("refusal", hex(Handshake.putRefusal(out(), ErrorCode.VERSION.because("no"))));
    all.put("write", hex(Wire.putWrite(out(), false, 0, KEY, 4_096, 3).writeBytes(count(1, 3))));
    all.put("write-imm", hex(Wire.putWrite(out(), true, 0x80000001, KEY, 1L << 32, 0)));
    all.put("write-rows", hex(Wire.putWrite(out(), KEY, rows()).writeBytes(count(1, 6))));
    all.put("more", hex(Wire.putMore(out(), 3).writeBytes(count(1, 3))));
    all.put("more-given-up", hex(Wire.putMore(out(), 0)));
    all.put("over", hex(Wire.putOver(out(), hello.connection())));
    all.put("ack", hex(Wire.putAck(out(), 258)));
    all.put("nack", hex(Wire.putNack(out(), 259, code16)));
    all.put("goodbye", hex(Wire.putGoodbye(out(), ErrorCode.CLOSED.because("bye"))));
    all.put("nic-address-v-four", ByteBufUtil.hexDump(new NicAddress("10.0.0.7", 4700).encode()));
    all.put("nic-address-v-six", ByteBufUtil.hexDump(new NicAddress("fd00::7", 4700).encode()));
    return all;
  }

  private static ByteBuf welcome(byte[] proof) {
    return Handshake.putWelcome(out(), new Handshake.Welcome(TARGET, proof));
  }

  private static Operation rows() {
    return new Operation().range(0, 4_096, 6).inRows(3, 0, 258).withImm(7);
  }

  private static ByteBuf out() {
    return Unpooled.buffer();
  }

  private static String hex(ByteBuf frame) {
    return ByteBufUtil.hexDump(frame);
  }

  @Test
  void thePageSaysWhatIsSent() throws IOException {
    Map<String, String> onThePage = new LinkedHashMap<>();
    String page = Files.readString(PAGE);
    Matcher vectors =
        VECTOR.matcher(page.substring(page.indexOf("\n# Part 2"), page.indexOf("\n# Part 3")));
    while (vectors.find()) {
      if (!vectors.group(1).startsWith("control-")) { // those are of the engine
        onThePage.put(vectors.group(1), vectors.group(2).replaceAll("\\s", ""));
      }
    }
    assertThat(onThePage).containsExactlyEntriesOf(expected());
  }
}
