package io.reactivetransfer.control;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.reactivetransfer.ClusterSecret;
import io.reactivetransfer.HostPort;
import io.reactivetransfer.control.socket.ErrorCode;
import io.reactivetransfer.spi.EngineIdentity;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyPairGenerator;
import java.security.spec.NamedParameterSpec;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The test vectors of the wire format are what this release sends, byte by byte. */
class WireVectorsTest {

  private static final Path PAGE = Path.of("../../docs/wire-format.md");
  private static final Pattern VECTOR = Pattern.compile("(?m)^([a-z-]+):((?:\\s+[0-9a-f]+)+)$");

  private final Map<String, String> vectors = new LinkedHashMap<>();

  private static Credentials credentials(int identity, int random) {
    byte[] secret = new byte[32];
    new CountingRandom(0xc0).nextBytes(secret);
    try {
      KeyPairGenerator keys = KeyPairGenerator.getInstance("Ed25519");
      keys.initialize(NamedParameterSpec.ED25519, new CountingRandom(identity));
      return new Credentials(
          EngineIdentity.of(keys.generateKeyPair()),
          List.of(ClusterSecret.of(secret)),
          new CountingRandom(random));
    } catch (GeneralSecurityException e) {
      throw new AssertionError(e);
    }
  }

  private void fill() throws IOException {
    Credentials ofDialler = credentials(0x00, 0x40);
    Credentials ofAcceptor = credentials(0x20, 0x80);
    DialHandshake dial =
        new DialHandshake(
            ofDialler,
            Binding.without(),
            "b",
            16_384,
            ofAcceptor.identity().id(),
            3,
            new HostPort("decode-3", 7_400),
            InetAddress.getByName("10.0.0.7"));
    AcceptHandshake accept =
        new AcceptHandshake(ofAcceptor, Binding.without(), "b", 8_192, (_, _) -> true);
    byte[] challenge = accept.challenge(dial.hello());
    byte[] proof = dial.prove(challenge);
    AcceptHandshake.Welcomed welcome = accept.welcome(proof, _ -> 0);
    SessionKeys keys = dial.check(welcome.answer()).keys();
    put("dialler-id", ofDialler.identity().id().toString());
    put("acceptor-id", ofAcceptor.identity().id().toString());
    put("hello", dial.hello());
    put("challenge", challenge);
    put("proof", proof);
    put("welcome", welcome.answer());
    put("refusal", Handshake.encode(ErrorCode.VERSION.because("no")));
    FrameCodec near = new FrameCodec(keys, true);
    FrameCodec far = new FrameCodec(welcome.keys(), false);
    put("open", frame(near, FrameCodec.OPEN, new byte[0]));
    put("message", frame(near, FrameCodec.MESSAGE, new byte[] {'a', 'b', 'c'}));
    put(
        "farewell",
        frame(far, FrameCodec.FAREWELL, FrameCodec.farewell(ErrorCode.CLOSED.because("bye"))));
    put("exported", keys.export("a use"));
    assertThat(keys.export("a use")).isEqualTo(welcome.keys().export("a use"));
  }

  private static byte[] frame(FrameCodec codec, int type, byte[] body) {
    ByteBuf frame = codec.encode(UnpooledByteBufAllocator.DEFAULT, type, body);
    try {
      return ByteBufUtil.getBytes(frame);
    } finally {
      frame.release();
    }
  }

  private void put(String name, byte[] bytes) {
    put(name, ByteBufUtil.hexDump(bytes));
  }

  private void put(String name, String hex) {
    vectors.put(name, hex);
  }

  @Test
  void thePageSaysWhatIsSent() throws IOException {
    fill();
    Map<String, String> onThePage = new LinkedHashMap<>();
    String page = Files.readString(PAGE);
    Matcher found = VECTOR.matcher(page.substring(0, page.indexOf("\n# Part 2")));
    while (found.find()) {
      onThePage.put(found.group(1), found.group(2).replaceAll("\\s", ""));
    }
    assertThat(onThePage).containsExactlyEntriesOf(vectors);
  }
}
