package io.reactivetransfer.control;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.reactivetransfer.ClusterSecret;
import io.reactivetransfer.HostPort;
import io.reactivetransfer.control.socket.ProtocolException;
import io.reactivetransfer.fuzz.Fuzz;
import io.reactivetransfer.fuzz.Input;
import io.reactivetransfer.fuzz.Mutation;
import io.reactivetransfer.fuzz.Target;
import io.reactivetransfer.spi.EngineIdentity;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * Whatever comes within a handshake, from either side: it is refused, with a text, unless it is
 * what was said; and nobody has keys who did not say it.
 */
class HandshakeFuzzTest {

  private static final EngineIdentity NEAR = EngineIdentity.draw();
  private static final EngineIdentity FAR = EngineIdentity.draw();

  /** Each time the same, to the bit. */
  private static Credentials credentials(EngineIdentity identity) {
    ClusterSecret secret = ClusterSecret.of(new byte[ClusterSecret.MIN_BYTES]);
    return new Credentials(identity, List.of(secret), new CountingRandom(1));
  }

  private static DialHandshake dialler() {
    return new DialHandshake(
        credentials(NEAR),
        Binding.without(),
        "b",
        Handshake.MIN_MESSAGE_BYTES,
        null,
        1,
        new HostPort("h", 1),
        InetAddress.getLoopbackAddress());
  }

  private static AcceptHandshake acceptor() {
    return new AcceptHandshake(
        credentials(FAR), Binding.without(), "b", Handshake.MIN_MESSAGE_BYTES, (_, _) -> true);
  }

  /** One of the four frames is changed, and what follows is said as if it were not. */
  @Test
  void handshakes() {
    Fuzz.run(
        Target.CONTROL_HANDSHAKE,
        in -> {
          int which = in.below(4);
          DialHandshake dial = dialler();
          AcceptHandshake accept = acceptor();
          boolean same = true;
          try {
            byte[] hello = maybeChanged(in, which == 0, Handshake.Kind.HELLO, dial.hello());
            same &= Arrays.equals(hello, dial.hello());
            byte[] asked = accept.challenge(hello);
            byte[] challenge = maybeChanged(in, which == 1, Handshake.Kind.CHALLENGE, asked);
            same &= Arrays.equals(challenge, asked);
            byte[] proved = dial.prove(challenge);
            byte[] proof = maybeChanged(in, which == 2, Handshake.Kind.PROOF, proved);
            same &= Arrays.equals(proof, proved);
            byte[] welcomed = accept.welcome(proof, _ -> 0).answer();
            byte[] answer = maybeChanged(in, which == 3, Handshake.Kind.ANSWER, welcomed);
            same &= Arrays.equals(answer, welcomed);
            if (Handshake.refusal(answer) != null) {
              return;
            }
            dial.check(answer);
          } catch (ProtocolException e) {
            assertThat(e.text()).isNotBlank().hasSizeLessThan(600);
            return;
          }
          assertThat(same).as("nothing was changed").isTrue();
        });
  }

  /** As a connection reads it: the head says how much is a frame. */
  private static byte[] maybeChanged(Input in, boolean changes, Handshake.Kind kind, byte[] frame) {
    byte[] got = changes ? changed(in, frame) : frame;
    if (got.length < Handshake.HEAD_BYTES) {
      throw new ProtocolException("expected more, got its end");
    }
    int body = Handshake.bodyBytes(ByteBuffer.wrap(got, 0, Handshake.HEAD_BYTES), kind);
    if (got.length != Handshake.HEAD_BYTES + body) {
      throw new ProtocolException("expected all of it, got more or less");
    }
    return got;
  }

  private static byte[] changed(Input in, byte[] frame) {
    byte[] changed = Mutation.some(in, frame);
    in.note(() -> ByteBufUtil.hexDump(changed));
    return changed;
  }

  @Test
  void frames() {
    byte[] agreed = new byte[SessionKeys.BYTES];
    SessionKeys keys = new SessionKeys(agreed, agreed, agreed);
    Fuzz.run(
        Target.CONTROL_SESSION,
        in -> {
          FrameCodec sender = new FrameCodec(keys, true);
          FrameCodec receiver = new FrameCodec(keys, false);
          byte[] content = in.bytes(in.below(100));
          byte[] first = bytes(sender, content);
          byte[] second = bytes(sender, content);
          byte[] intended = in.chance(50) ? first : second;
          byte[] got = in.chance(20) ? intended : changed(in, intended);
          boolean isWhole = Arrays.equals(got, first);
          if (got.length < FrameCodec.HEAD_BYTES + FrameCodec.TAG_BYTES) {
            return;
          }
          byte[] rest = Arrays.copyOfRange(got, FrameCodec.HEAD_BYTES, got.length);
          boolean taken;
          try {
            ByteBuffer body = receiver.decode(got[0], rest);
            taken = body.equals(ByteBuffer.wrap(content));
          } catch (ProtocolException e) {
            assertThat(e.text()).contains("expected a frame with the tag of this session");
            taken = false;
          }
          boolean sameButLength = got[0] == first[0] && Arrays.equals(rest, tail(first));
          assertThat(taken).isEqualTo(isWhole || sameButLength);
        });
  }

  /** The length is what a connection has read by, so that it is right by then. */
  private static byte[] tail(byte[] frame) {
    return Arrays.copyOfRange(frame, FrameCodec.HEAD_BYTES, frame.length);
  }

  private static byte[] bytes(FrameCodec codec, byte[] content) {
    ByteBuf frame = codec.encode(UnpooledByteBufAllocator.DEFAULT, FrameCodec.MESSAGE, content);
    try {
      return ByteBufUtil.getBytes(frame);
    } finally {
      frame.release();
    }
  }
}
