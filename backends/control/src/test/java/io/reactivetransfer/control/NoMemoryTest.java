package io.reactivetransfer.control;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.AbstractByteBufAllocator;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.reactivetransfer.spi.EngineIdentity;
import java.nio.ByteBuffer;
import java.util.function.IntPredicate;
import org.junit.jupiter.api.Test;

/**
 * There is no memory for a frame that is to be sent: its session ends, and everything else goes on.
 */
class NoMemoryTest {

  /** Has no memory for some of the buffers that it is asked for, counted from 0. */
  private static final class NoBuffers extends AbstractByteBufAllocator {

    private final IntPredicate refused;
    private int asked;

    NoBuffers(IntPredicate refused) {
      this.refused = refused;
    }

    @Override
    protected ByteBuf newHeapBuffer(int initialCapacity, int maxCapacity) {
      return UnpooledByteBufAllocator.DEFAULT.heapBuffer(initialCapacity, maxCapacity);
    }

    @Override
    protected ByteBuf newDirectBuffer(int initialCapacity, int maxCapacity) {
      if (refused.test(asked++)) {
        throw new InternalError("told to have none");
      }
      return UnpooledByteBufAllocator.DEFAULT.directBuffer(initialCapacity, maxCapacity);
    }

    @Override
    public boolean isDirectBufferPooled() {
      return false;
    }
  }

  private final Lab lab = new Lab(EngineIdentity.draw(), EngineIdentity.draw());

  private void meet() {
    lab.one.send("never taken at once");
    deliver();
    lab.one.log.clear();
    lab.two.log.clear();
  }

  private void deliver() {
    lab.settle();
    while (!lab.choices().isEmpty()) {
      lab.choices().getFirst().run();
    }
  }

  /** The end that engine one has of the only connection. */
  private Lab.Socket near() {
    return lab.wires.getFirst().near;
  }

  @Test
  void aFrameThatIsNotMadeTakesNoNumber() {
    byte[] agreed = new byte[SessionKeys.BYTES];
    SessionKeys keys = new SessionKeys(agreed, agreed, agreed);
    FrameCodec near = new FrameCodec(keys, true);
    byte[] body = {1, 2, 3};
    assertThatThrownBy(() -> near.encode(new NoBuffers(_ -> true), FrameCodec.MESSAGE, body))
        .isInstanceOf(InternalError.class);
    ByteBuf next = near.encode(UnpooledByteBufAllocator.DEFAULT, FrameCodec.MESSAGE, body);
    byte[] rest = new byte[body.length + FrameCodec.TAG_BYTES];
    next.skipBytes(FrameCodec.HEAD_BYTES).readBytes(rest).release();
    assertThat(new FrameCodec(keys, false).decode(FrameCodec.MESSAGE, rest))
        .isEqualTo(ByteBuffer.wrap(body));
  }

  @Test
  void aMessageThatCannotBeSentIsALoss() {
    meet();
    near().config().setAllocator(new NoBuffers(_ -> true));
    assertThat(lab.one.send("lost")).isTrue();
    deliver();
    assertThat(lab.one.log)
        .singleElement()
        .asString()
        .contains("could not be sent", "told to have");
    assertThat(lab.two.log)
        .singleElement()
        .asString()
        .startsWith("lost: ")
        .doesNotContain("something in between");
    lab.one.send("never taken at once");
    deliver();
    assertThat(lab.one.send("in another session")).isTrue();
    deliver();
    assertThat(lab.two.log).last().isEqualTo("received in another session");
  }

  @Test
  void theOtherSideIsToldWhyAndHasWhatWasSentBefore() {
    meet();
    near().config().setAllocator(new NoBuffers(number -> number == 1));
    assertThat(lab.one.send("before")).isTrue();
    assertThat(lab.one.send("lost")).isTrue();
    deliver();
    assertThat(lab.two.log).hasSize(2).first().isEqualTo("received before");
    assertThat(lab.two.log).last().asString().contains("could not be sent");
  }

  @Test
  void whoCannotSayWhyClosesAllTheSame() {
    meet();
    near().config().setAllocator(new NoBuffers(_ -> true));
    lab.one.sessions.close();
    deliver();
    assertThat(near().isOpen()).isFalse();
    assertThat(lab.two.log).singleElement().asString().startsWith("lost: ");
  }
}
