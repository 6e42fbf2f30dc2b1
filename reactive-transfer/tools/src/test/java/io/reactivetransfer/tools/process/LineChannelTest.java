package io.reactivetransfer.tools.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class LineChannelTest {

  private static LineChannel saying(String text) {
    return new LineChannel(
        new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8)),
        OutputStream.nullOutputStream());
  }

  @Test
  void whatOneSideTellsTheOtherReads() throws IOException {
    ByteArrayOutputStream wire = new ByteArrayOutputStream();
    LineChannel teller = new LineChannel(InputStream.nullInputStream(), wire);
    assertThat(teller.tell("größe 7")).isTrue();
    assertThat(teller.tell("")).isTrue();
    LineChannel reader = saying(wire.toString(StandardCharsets.UTF_8));
    assertThat(reader.read()).isEqualTo("größe 7");
    assertThat(reader.read()).isEmpty();
    assertThat(reader.read()).isNull();
  }

  @Test
  void halfALineIsNone() throws IOException {
    assertThat(saying("whole\nhal").read()).isEqualTo("whole");
    LineChannel channel = saying("hal");
    assertThat(channel.read()).isNull();
  }

  @Test
  void aLineIsBounded() throws IOException {
    String longest = "x".repeat(LineChannel.MAX_LINE_BYTES);
    assertThat(saying(longest + "\n").read()).isEqualTo(longest);
    assertThatThrownBy(() -> saying(longest + "x\n").read())
        .isInstanceOf(IOException.class)
        .hasMessageContaining("65536");
  }

  @Test
  void aListenerIsToldOfTheEndOnceAndLast() throws InterruptedException {
    List<String> heard = new ArrayList<>();
    saying("one\ntwo\n" + "x".repeat(LineChannel.MAX_LINE_BYTES + 1) + "\nthree\n")
        .listen(
            "test",
            new LineChannel.Listener() {
              @Override
              public void line(String line) {
                heard.add(line);
              }

              @Override
              public void unreadable(String why) {
                heard.add(why);
              }

              @Override
              public void ended() {
                heard.add("(end)");
              }
            })
        .join();
    assertThat(heard)
        .containsExactly("one", "two", "expected lines of up to 65536 bytes, got more", "(end)");
  }

  @Test
  void whatNobodyCouldReadIsNotSaid() {
    ByteArrayOutputStream wire = new ByteArrayOutputStream();
    LineChannel teller = new LineChannel(InputStream.nullInputStream(), wire);
    String longest = "x".repeat(LineChannel.MAX_LINE_BYTES);
    assertThatThrownBy(() -> teller.tell(longest + "x"))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("65537");
    assertThat(wire.size()).isZero();
    assertThat(teller.tell(longest)).isTrue();
  }

  @Test
  void saysWhenNobodyTakesALine() {
    OutputStream broken =
        new OutputStream() {
          @Override
          public void write(int b) throws IOException {
            throw new IOException("broken pipe");
          }
        };
    assertThat(new LineChannel(InputStream.nullInputStream(), broken).tell("x")).isFalse();
  }
}
