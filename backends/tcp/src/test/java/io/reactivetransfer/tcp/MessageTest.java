package io.reactivetransfer.tcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivetransfer.spi.RemotePeer;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class MessageTest {

  private TestNic origin;
  private TestNic target;

  @BeforeEach
  void open() {
    origin = new TestNic();
    target = new TestNic();
  }

  @AfterEach
  void close() {
    origin.close();
    target.close();
  }

  @Test
  void comeInOrderAndWhole() {
    int count = 5_000;
    List<String> texts =
        IntStream.range(0, count)
            .mapToObj(i -> i + "x".repeat(i % (TestNic.MAX_MESSAGE_BYTES - 10)))
            .toList();
    RemotePeer peer = origin.peer(target);

    texts.forEach(text -> origin.send(peer, text));

    target.awaitUntil(() -> target.messages.size() == count);
    assertThat(target.messages).containsExactlyElementsOf(texts);
  }

  @Test
  void twoPeerObjectsOfOneNicShareOneConnection() {
    RemotePeer one = origin.peer(target);
    RemotePeer two = origin.peer(target);

    for (int i = 0; i < 100; i++) {
      origin.send(i % 2 == 0 ? one : two, "" + i);
    }

    target.awaitUntil(() -> target.messages.size() == 100);
    assertThat(target.messages)
        .containsExactlyElementsOf(IntStream.range(0, 100).mapToObj(i -> "" + i).toList());
  }

  @Test
  void anEmptyOneIsAMessageToo() {
    origin.send(origin.peer(target), "");

    target.awaitUntil(() -> target.messages.size() == 1);
    assertThat(target.messages).containsExactly("");
  }

  @Test
  void theBytesAreCopiedAndNotConsumed() {
    RemotePeer peer = origin.peer(target);
    origin.send(peer, "first");
    target.awaitUntil(() -> target.messages.size() == 1);

    ByteBuffer bytes = ByteBuffer.wrap("second".getBytes()).position(1).limit(4);
    boolean taken =
        origin.call(() -> {
          boolean accepted = origin.domain.send(peer, bytes);
          bytes.put(1, (byte) '!');
          return accepted;
        });

    assertThat(taken).isTrue();
    assertThat(bytes.remaining()).isEqualTo(3);
    target.awaitUntil(() -> target.messages.size() == 2);
    assertThat(target.messages).containsExactly("first", "eco");
  }

  @Test
  void oneThatIsTooLongIsTheCallersMistake() {
    RemotePeer peer = origin.peer(target);
    ByteBuffer bytes = ByteBuffer.allocate(TestNic.MAX_MESSAGE_BYTES + 1);

    assertThatThrownBy(() -> origin.call(() -> origin.domain.send(peer, bytes)))
        .rootCause()
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("1024");
  }
}
