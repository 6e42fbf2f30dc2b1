package io.reactivetransfer.tcp.process;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.RemoteRegion;
import io.reactivetransfer.tck.process.EngineProcess;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Visible before counted: each page is checked at the moment when its arrival is told. */
// A usual build has processes that are killed by the rules about those.
@Tag("merge")
class TornWriteTest {

  private static final int SLOTS = 40;
  private static final int SLOT_BYTES = 256 * 1024;
  private static final int ROUNDS = 4 * Integer.getInteger("reactivetransfer.rounds", 1);

  @Test
  void noPageIsCountedBeforeItIsWhole() {
    long seed = new Random().nextLong();
    try (EngineProcess child = TcpProgram.start();
        Local local = Local.open(SLOTS * SLOT_BYTES)) {
      RemoteRegion target = local.remote(child.memory("m", SLOTS * SLOT_BYTES));
      CompletableFuture<String> verified =
          child.ask("verify-pages", "m", SLOT_BYTES, ROUNDS, local.addressText());

      CompletableFuture<Long> written =
          Page.write(local.engine, local.memory, local.region, target, SLOTS, ROUNDS, seed)
              .toFuture();

      assertThat(verified.join()).as("seed " + seed).isEqualTo(SLOTS * ROUNDS + " pages");
      assertThat(written.join()).isEqualTo(SLOTS * ROUNDS);
      child.call("values", "m"); // nothing was written beside it
    }
  }
}
