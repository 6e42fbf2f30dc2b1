package io.reactivetransfer.control.socket;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.channel.socket.ChannelOutputShutdownException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What is said of a connection that broke is what the operating system has said. */
class BrokenConnectionTest {

  private final EmbeddedChannel channel = new EmbeddedChannel();
  private final List<String> ends = new ArrayList<>();

  private final SocketConnection connection =
      new SocketConnection(channel.eventLoop()) {

        {
          enter(Phase.OPEN);
        }

        @Override
        public int headBytes(int firstByte) {
          return 1;
        }

        @Override
        public void head(ByteBuffer head) {}

        @Override
        public void collected(byte[] body) {}

        @Override
        public void streamed(ByteBuf in, int length) {}

        @Override
        public void streamEnded() {}

        @Override
        protected void sayWhy(Failure why) {}

        @Override
        protected void onEnd(Failure why) {
          ends.add(why.text());
        }

        @Override
        public String where() {
          return "engine E";
        }
      };

  @AfterEach
  void close() {
    channel.finishAndReleaseAll();
  }

  private void breaksBy(Throwable failure) {
    channel.pipeline().addLast(connection);
    channel.pipeline().fireExceptionCaught(failure);
    channel.close();
    channel.runPendingTasks();
  }

  @Test
  void ofAWriteItIsTheCauseOfWhatNettySays() {
    breaksBy(
        new ChannelOutputShutdownException(
            "Channel output shutdown", new IOException("Connection timed out")));
    assertThat(ends).containsExactly("the connection with engine E broke: Connection timed out");
  }

  @Test
  void withoutACauseItIsWhatNettySays() {
    breaksBy(new ChannelOutputShutdownException("Channel output shutdown"));
    assertThat(ends).containsExactly("the connection with engine E broke: Channel output shutdown");
  }

  @Test
  void ofAnythingElseItIsThatItself() {
    breaksBy(new IOException("Connection reset by peer", new IOException("of no interest")));
    assertThat(ends)
        .containsExactly("the connection with engine E broke: Connection reset by peer");
  }
}
