package io.reactivetransfer.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.EngineId;
import io.reactivetransfer.fuzz.Fuzz;
import io.reactivetransfer.fuzz.Input;
import io.reactivetransfer.fuzz.Mutation;
import io.reactivetransfer.fuzz.Target;
import io.reactivetransfer.spi.Devices;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Whoever connects to a NIC of an engine that has sessions: one that has one, one that has none,
 * one that says it is this engine itself. Each gets the answer of docs/wire-format.md, and leaves
 * nothing behind.
 */
@Timeout(7_200)
class ProofFuzzTest {

  private static final EngineId FRIEND = new EngineId(1, 1);
  private static final EngineId STRANGER = new EngineId(2, 2);
  private static final byte[] KEY = "what only the two know".getBytes(StandardCharsets.UTF_8);
  private static final byte[] WRONG = "what somebody guesses".getBytes(StandardCharsets.UTF_8);
  private static final int HEAD_BYTES = 8;
  private static final int CHALLENGE_BYTES = 40;
  private static final int PROOF_BYTES = 40;
  private static final int NONE = -1;

  /** As many as an engine has at most. */
  private static final int NICS = 8;

  /** Of the NIC, in a hello. */
  private static final int INDEX_AT = 40;

  private final FuzzNic.Shared shared = new FuzzNic.Shared();

  @Test
  void proofs() {
    Fuzz.run(Target.TCP_PROOFS, this::run);
  }

  private void run(Input in) {
    FuzzNic nic =
        new FuzzNic(shared, in, false, Devices.none(), peer -> peer.equals(FRIEND) ? KEY : null);
    for (int i = in.between(1, 4); i > 0; i--) {
      connect(in, nic);
    }
    nic.close();
  }

  private static void connect(Input in, FuzzNic nic) {
    List<EngineId> engines = List.of(FRIEND, STRANGER, nic.id);
    EngineId dialler = in.chance(60) ? FRIEND : in.oneOf(engines);
    EngineId wanted = in.chance(60) ? nic.id : in.oneOf(engines);
    byte[] hello = FuzzHandshake.hello(dialler, wanted, in.below(in.chance(80) ? NICS : 256));
    byte[] key = in.chance(70) ? KEY : WRONG;
    byte[] proof = proof(in.chance(90) ? "dialler" : "acceptor", key, hello);
    byte[] said =
        concat(
            in.chance(80) ? hello : FuzzHandshake.nearlyHello(in, hello),
            in.chance(80) ? proof : Mutation.some(in, proof));
    byte[] bytes = in.chance(80) ? said : Arrays.copyOf(said, in.below(said.length + 1));
    in.note(() -> "says " + HexFormat.of().formatHex(bytes));
    FuzzSocket socket = nic.connected(in.between(1, 100));
    int from = 0;
    for (int read; (read = socket.readFrom(bytes, from, bytes.length)) > 0; ) {
      from += read;
    }
    check(bytes, socket, nic.id);
    if (in.chance(50)) {
      socket.end();
    } else {
      nic.passConnectTimeout();
    }
    nic.poll();
  }

  private static byte[] proof(String role, byte[] key, byte[] hello) {
    byte[] code = code(role, key, hello);
    return ByteBuffer.allocate(PROOF_BYTES)
        .put("RTTP".getBytes(StandardCharsets.US_ASCII))
        .putShort((short) 1)
        .putShort((short) code.length)
        .put(code)
        .array();
  }

  private static byte[] code(String role, byte[] key, byte[] hello) {
    try {
      Mac mac = Mac.getInstance("HmacSHA256");
      mac.init(new SecretKeySpec(key, "HmacSHA256"));
      mac.update(("reactive-transfer tcp " + role).getBytes(StandardCharsets.US_ASCII));
      mac.update(hello);
      mac.update(FuzzHandshake.HALF_A_NONCE.encode());
      return mac.doFinal(FuzzHandshake.HALF_A_NONCE.encode());
    } catch (GeneralSecurityException e) {
      throw new AssertionError(e);
    }
  }

  /** What was answered to these bytes is what must be. */
  private static void check(byte[] bytes, FuzzSocket socket, EngineId self) {
    byte[] taken = socket.taken();
    int refusal = refusedHello(bytes);
    if (refusal != NONE || bytes.length < FuzzHandshake.helloBytes()) {
      check(refusal, taken, socket);
      return;
    }
    assertThat(taken).hasSizeGreaterThanOrEqualTo(CHALLENGE_BYTES);
    assertThat(Arrays.copyOf(taken, 4)).isEqualTo("RTTC".getBytes(StandardCharsets.US_ASCII));
    byte[] answer = Arrays.copyOfRange(taken, CHALLENGE_BYTES, taken.length);
    byte[] hello = Arrays.copyOf(bytes, FuzzHandshake.helloBytes());
    ByteBuffer proof = ByteBuffer.wrap(bytes, hello.length, bytes.length - hello.length).slice();
    int refused = refusedHead(proof, "RTTP", PROOF_BYTES - HEAD_BYTES);
    if (refused != NONE || proof.capacity() < PROOF_BYTES) {
      check(refused, answer, socket);
      return;
    }
    check(judge(proof, hello, self), answer, socket);
    if (answer[9] == 0) { // behind which more than the proof may have come, which is no frame
      byte[] welcome = Arrays.copyOfRange(answer, HEAD_BYTES + 18, HEAD_BYTES + 50);
      assertThat(welcome).isEqualTo(code("acceptor", KEY, hello));
    }
  }

  private static int judge(ByteBuffer proof, byte[] hello, EngineId self) {
    ByteBuffer in = ByteBuffer.wrap(hello, HEAD_BYTES, hello.length - HEAD_BYTES);
    EngineId dialler = new EngineId(in.getLong(), in.getLong());
    EngineId wanted = new EngineId(in.getLong(), in.getLong());
    EngineId other = dialler.equals(self) ? wanted : dialler;
    byte[] code = new byte[PROOF_BYTES - HEAD_BYTES];
    proof.get(HEAD_BYTES, code);
    if (!other.equals(FRIEND) || !Arrays.equals(code, code("dialler", KEY, hello))) {
      return 10;
    }
    return wanted.equals(self) ? 0 : 3;
  }

  private static int refusedHello(byte[] bytes) {
    int length = FuzzHandshake.helloBytes();
    int refused = refusedHead(ByteBuffer.wrap(bytes), "RTTH", length - HEAD_BYTES);
    boolean namesNoNic = bytes.length >= length && Byte.toUnsignedInt(bytes[INDEX_AT]) >= NICS;
    return refused == NONE && namesNoNic ? 1 : refused;
  }

  private static int refusedHead(ByteBuffer frame, String letters, int length) {
    if (frame.capacity() < HEAD_BYTES) {
      return NONE;
    }
    if (frame.getInt(0) != ByteBuffer.wrap(letters.getBytes(StandardCharsets.US_ASCII)).getInt()) {
      return 1;
    }
    if (frame.getShort(4) != 1) {
      return 2;
    }
    return Short.toUnsignedInt(frame.getShort(6)) == length ? NONE : 1;
  }

  /** Nothing was said, or this code; and who was refused is not listened to. */
  private static void check(int code, byte[] answer, FuzzSocket socket) {
    if (code == NONE) {
      assertThat(answer).isEmpty();
      assertThat(socket.isOpen()).isTrue();
      return;
    }
    assertThat(Arrays.copyOf(answer, 4)).isEqualTo("RTTA".getBytes(StandardCharsets.US_ASCII));
    assertThat(FuzzHandshake.refusal(answer)).isEqualTo(code);
    if (code != 0) {
      assertThat(answer).hasSize(FuzzHandshake.answerBytes(answer));
      assertThat(socket.isOpen()).isFalse();
    }
  }

  private static byte[] concat(byte[] first, byte[] second) {
    ByteArrayOutputStream both = new ByteArrayOutputStream();
    both.writeBytes(first);
    both.writeBytes(second);
    return both.toByteArray();
  }
}
