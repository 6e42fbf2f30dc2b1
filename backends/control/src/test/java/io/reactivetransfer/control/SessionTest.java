package io.reactivetransfer.control;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.EngineId;
import io.reactivetransfer.HostPort;
import io.reactivetransfer.control.TestEngine.Driver;
import io.reactivetransfer.control.TestEngine.Found;
import io.reactivetransfer.control.TestEngine.Message;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What two engines say to each other arrives once, in order, from who has sent it. */
class SessionTest {

  @ParameterizedTest
  @EnumSource
  void messagesArriveInOrderBothWays(Driver driver) {
    try (TestEngine one = new TestEngine(driver);
        TestEngine two = new TestEngine(driver)) {
      for (int i = 0; i < 1_000; i++) {
        one.send(two, "one " + i);
        two.send(one, "two " + i);
      }
      one.awaitUntil(() -> one.messages.size() == 1_000);
      two.awaitUntil(() -> two.messages.size() == 1_000);
      assertThat(two.messages).containsExactlyElementsOf(messages(one, "one "));
      assertThat(one.messages).containsExactlyElementsOf(messages(two, "two "));
      assertThat(one.lost).isEmpty();
      assertThat(two.lost).isEmpty();
    }
  }

  private static List<Message> messages(TestEngine from, String text) {
    return IntStream.range(0, 1_000).mapToObj(i -> new Message(from.id(), text + i)).toList();
  }

  @ParameterizedTest
  @EnumSource
  void anEngineIsFoundByItsAddressAlone(Driver driver) {
    try (TestEngine one = new TestEngine(driver);
        TestEngine two = new TestEngine(driver)) {
      one.find(7, two.address);
      one.awaitUntil(() -> !one.found.isEmpty());
      assertThat(one.found).containsExactly(new Found(7, two.id()));
      two.send(one.id(), new HostPort("127.0.0.1", 1), new byte[] {'a'}); // over the same session
      one.awaitMessage(two.id(), "a");
      one.find(8, two.address);
      one.awaitUntil(() -> one.found.contains(new Found(8, two.id())));
      assertThat(one.lost).isEmpty();
      assertThat(two.lost).isEmpty();
    }
  }

  @ParameterizedTest
  @EnumSource
  void whereNobodyIsNobodyIsFound(Driver driver) {
    HostPort nowhere = FreePort.onLoopback();
    try (TestEngine one = new TestEngine(driver)) {
      one.find(7, nowhere);
      one.awaitUntil(() -> !one.notFound.isEmpty());
      assertThat(one.notFound.element().text()).contains(nowhere.toString(), "refused");
      one.send(new EngineId(1, 2), nowhere, new byte[1]);
      assertThat(one.awaitLost().text()).contains("engine 00000000 at " + nowhere, "refused");
      one.forgetWaiting();
    }
  }

  @ParameterizedTest
  @EnumSource
  void theEndOfOneIsToldToTheOther(Driver driver) {
    try (TestEngine one = new TestEngine(driver)) {
      TestEngine two = new TestEngine(driver);
      one.meet(two);
      two.send(one, "last");
      one.awaitUntil(() -> !one.messages.isEmpty());
      two.close();
      assertThat(one.awaitLost().text()).contains("ended the session: its engine was closed");
      assertThat(one.lost).hasSize(1);
      one.awaitUntil(() -> one.known() == 0);
    }
  }

  @ParameterizedTest
  @EnumSource
  void whoIsGivenUpIsToldWhyAndCanBeMetAgain(Driver driver) {
    try (TestEngine one = new TestEngine(driver);
        TestEngine two = new TestEngine(driver)) {
      one.meet(two);
      one.run(() -> one.channel.disconnect(two.id(), "it was silent"));
      assertThat(two.awaitLost().text()).contains("this engine was given up: it was silent");
      two.lost.clear();
      one.meet(two);
      assertThat(one.lost).isEmpty();
      assertThat(two.lost).isEmpty();
    }
  }

  @ParameterizedTest
  @EnumSource
  void anEngineCanSendToItself(Driver driver) {
    try (TestEngine one = new TestEngine(driver)) {
      one.find(1, one.address);
      one.awaitUntil(() -> one.found.contains(new Found(1, one.id())));
      one.send(one, "to myself");
      one.awaitMessage(one.id(), "to myself");
      one.awaitUntil(() -> one.known() == 0);
      assertThat(one.lost).isEmpty();
    }
  }
}
