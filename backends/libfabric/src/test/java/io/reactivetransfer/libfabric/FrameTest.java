package io.reactivetransfer.libfabric;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.EngineId;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class FrameTest {

  private static final EngineId SENDER = new EngineId(1, -2);
  private static final byte[] NAME = {9, 8, 7};
  private static final byte[] CONTENT = {1, 2, 3, 4, 5};
  private static final int TYPE_AT = 1;

  private static ByteBuffer written(Frame.Type type) {
    FabricPeer target = new FabricPeer(new EngineId(3, 4), 5, new byte[] {6});
    target.numbered();
    target.numbered();
    ByteBuffer out = ByteBuffer.allocate(Frame.headBytes(NAME) + CONTENT.length);
    ByteBuffer content = ByteBuffer.wrap(CONTENT);
    Frame.write(out, type, target, SENDER, 77, NAME, content);
    assertThat(out.hasRemaining()).isFalse();
    assertThat(content.remaining()).isEqualTo(CONTENT.length);
    return out.flip();
  }

  @ParameterizedTest
  @EnumSource(Frame.Type.class)
  void whatIsWrittenIsRead(Frame.Type type) {
    Frame frame = Frame.read(written(type));
    assertThat(frame).isNotNull();
    assertThat(frame.type()).isEqualTo(type);
    assertThat(frame.target()).isEqualTo(5);
    assertThat(frame.sender()).isEqualTo(SENDER);
    assertThat(frame.instance()).isEqualTo(77);
    assertThat(frame.epoch()).isEqualTo(1);
    assertThat(frame.number()).isEqualTo(type.isInOrder() ? 2 : 0);
    assertThat(frame.name()).isEqualTo(NAME);
    assertThat(frame.content()).isEqualTo(ByteBuffer.wrap(CONTENT));
  }

  @Test
  void aFrameThatIsCutOffIsNoneOrHasLessContent() {
    ByteBuffer whole = written(Frame.Type.CONTROL);
    int head = Frame.headBytes(NAME);
    for (int length = 0; length <= whole.capacity(); length++) {
      Frame frame = Frame.read(whole.slice(0, length));
      if (length < head) {
        assertThat(frame).as("of %s bytes", length).isNull();
      } else {
        assertThat(frame).as("of %s bytes", length).isNotNull();
        assertThat(frame.content().remaining()).isEqualTo(length - head);
      }
    }
  }

  @Test
  void anotherVersionIsNoFrame() {
    assertThat(Frame.read(written(Frame.Type.BYE).put(0, (byte) 2))).isNull();
  }

  @Test
  void anUnknownTypeIsNoFrame() {
    for (int type = Byte.MIN_VALUE; type <= Byte.MAX_VALUE; type++) {
      boolean known = type >= 0 && type < Frame.Type.values().length;
      Frame frame = Frame.read(written(Frame.Type.BYE).put(TYPE_AT, (byte) type));
      assertThat(frame != null).as("type %s is known", type).isEqualTo(known);
    }
  }
}
