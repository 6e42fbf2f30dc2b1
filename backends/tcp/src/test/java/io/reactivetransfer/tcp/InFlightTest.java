package io.reactivetransfer.tcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.reactivetransfer.control.socket.ProtocolException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What a target claims of writes that it cannot speak of. */
class InFlightTest {

  private final InFlight inFlight = new InFlight(token -> {});

  private void assertRefusedWith(String text, long number) {
    assertThatExceptionOfType(ProtocolException.class)
        .isThrownBy(() -> inFlight.refuse(number))
        .withMessageContaining(text);
  }

  @Test
  void aRefusalWhenNothingIsOutSaysSo() {
    assertRefusedWith("a write that is out, and none is, got a refusal of write 1", 1);
    inFlight.add(7, null);
    assertThat(inFlight.refuse(1)).isEqualTo(7);
    assertRefusedWith("a write that is out, and none is, got a refusal of write 2", 2);
  }

  @Test
  void aRefusalOfAnotherWriteThanTheNextNamesBoth() {
    inFlight.add(7, null);
    inFlight.add(8, null);
    assertRefusedWith("to refuse write 1, got 2", 2);
    assertRefusedWith("to refuse write 1, got 3", 3);
  }

  @Test
  void moreThanWereSentAreNotAcknowledged() {
    inFlight.add(7, null);
    List<Long> done = new ArrayList<>();
    assertThatExceptionOfType(ProtocolException.class)
        .isThrownBy(() -> inFlight.settleUpTo(2, done::add))
        .withMessageContaining("at most 1 writes, got 2");
    assertThat(done).isEmpty();
  }
}
