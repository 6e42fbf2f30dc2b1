package io.reactivetransfer.control.socket;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * Heads are a letter and a length; 'c' collects so many bytes, 's' streams them, 'h' has no body.
 */
class FrameReaderTest implements FrameReader.Frames {

  private static final String STREAM = "h\0c\5hellos\3abcs\0c\0h\1s\2zz";

  private final FrameReader reader = new FrameReader(this);
  private final List<String> seen = new ArrayList<>();
  private final StringBuilder streaming = new StringBuilder();
  private int mostAtOnce = Integer.MAX_VALUE;

  @Test
  void isTheSameHoweverTheBytesAreCut() {
    for (int size = 1; size <= STREAM.length(); size++) {
      seen.clear();
      for (int from = 0; from < STREAM.length(); from += size) {
        feed(STREAM.substring(from, Math.min(STREAM.length(), from + size)));
      }
      assertThat(seen)
          .as("cut into pieces of %d", size)
          .containsExactly(
              "h0", "c5", "hello", "s3", "<abc>", "s0", "<>", "c0", "", "h1", "s2", "<zz>");
      assertThat(reader.isBetweenFrames()).isTrue();
    }
  }

  @Test
  void goesOnWithWhatWasNotTaken() {
    ByteBuf in = Unpooled.copiedBuffer(STREAM, StandardCharsets.ISO_8859_1);
    mostAtOnce = 1;
    int calls = 0;
    for (; in.isReadable(); calls++) {
      reader.feed(in);
    }
    in.release();
    assertThat(calls).isEqualTo(4); // two bytes of three, and one of two, were not taken
    assertThat(seen)
        .containsExactly(
            "h0", "c5", "hello", "s3", "<abc>", "s0", "<>", "c0", "", "h1", "s2", "<zz>");
    assertThat(reader.isBetweenFrames()).isTrue();
  }

  @Test
  void knowsWhenItIsInAFrame() {
    feed("c");
    assertThat(reader.isBetweenFrames()).isFalse();
    feed("\2a");
    assertThat(reader.isBetweenFrames()).isFalse();
    feed("b");
    assertThat(reader.isBetweenFrames()).isTrue();
  }

  @Test
  void readsNothingOnceStopped() {
    reader.stop();
    feed(STREAM);
    assertThat(seen).isEmpty();
  }

  private void feed(String text) {
    ByteBuf in = Unpooled.copiedBuffer(text, StandardCharsets.ISO_8859_1);
    reader.feed(in);
    in.release();
  }

  @Override
  public int headBytes(int firstByte) {
    return 2;
  }

  @Override
  public void head(ByteBuffer head) {
    char type = (char) head.get();
    int length = head.get();
    seen.add("" + type + length);
    switch (type) {
      case 'c' -> reader.collect(length);
      case 's' -> reader.stream(length);
      default -> {}
    }
  }

  @Override
  public void collected(byte[] body) {
    seen.add(new String(body, StandardCharsets.ISO_8859_1));
  }

  @Override
  public void streamed(ByteBuf in, int length) {
    streaming.append(
        in.readCharSequence(Math.min(length, mostAtOnce), StandardCharsets.ISO_8859_1));
  }

  @Override
  public void streamEnded() {
    seen.add("<" + streaming + ">");
    streaming.setLength(0);
  }
}
