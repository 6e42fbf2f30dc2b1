package io.reactivetransfer.libfabric;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.EngineId;
import io.reactivetransfer.libfabric.Frame.Type;
import io.reactivetransfer.libfabric.ffi.Fi;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** When it counts as broken that no message comes. */
class LettersTest {

  private final TappedNic nic = new TappedNic();

  @AfterEach
  void close() {
    nic.close();
  }

  private void poll(int times) {
    for (int i = 0; i < times; i++) {
      nic.poll();
    }
  }

  private void hearOneMore(long number) {
    EngineId sender = new EngineId(1, 2);
    byte[] name = {7};
    nic.hear(TappedNic.frame(Type.CONTROL, sender, 1, number, name, new byte[10]));
  }

  @Test
  void aQueueThatCannotBeReadAgainAndAgainIsBroken() {
    nic.tap.readsMessages(-Fi.FI_EINVAL);
    poll(Breakage.MOST_FAILURES - 1);
    nic.tap.readsMessages(0);
    hearOneMore(0);
    assertThat(nic.letters.broken()).as("it could be read in between").isNull();

    nic.tap.readsMessages(-Fi.FI_EINVAL);
    poll(Breakage.MOST_FAILURES);
    assertThat(nic.letters.broken())
        .isNotNull()
        .satisfies(it -> assertThat(it.code()).isEqualTo(Fi.FI_EINVAL))
        .satisfies(it -> assertThat(it.text()).contains("fi_cq_read", "error 22"));
  }

  @Test
  void buffersThatAreNeverTakenAreBreakageAndMissingRoomIsNot() {
    nic.tap.receives(-Fi.FI_EAGAIN);
    hearOneMore(0);
    poll(2 * Breakage.MOST_FAILURES);
    assertThat(nic.letters.broken()).as("there is no room").isNull();

    nic.tap.receives(-Fi.FI_ENOMEM);
    poll(Breakage.MOST_FAILURES - 1);
    nic.tap.receives(0);
    poll(1);
    assertThat(nic.letters.broken()).as("they were taken in between").isNull();

    nic.tap.receives(-Fi.FI_ENOMEM);
    hearOneMore(1);
    poll(Breakage.MOST_FAILURES);
    assertThat(nic.letters.broken())
        .isNotNull()
        .satisfies(it -> assertThat(it.text()).contains("fi_recv", "error 12"));
  }
}
