package io.reactivetransfer.tcp;

import io.reactivetransfer.spi.Backend;
import io.reactivetransfer.tck.Chapters;
import io.reactivetransfer.tck.Profile;
import io.reactivetransfer.tck.TransferConformance;
import java.time.Duration;
import java.util.Random;
import org.junit.jupiter.api.Tag;

/**
 * The rules of the kit over a network that is slow and gives bytes out in pieces that begin and end
 * anywhere.
 */
// A usual build has these chapters over a network that does no such thing, and faults by FaultTest.
@Tag("merge")
@Chapters({"Visibility", "Arrival", "LostPeer", "Revocation", "Message"})
class CrumblingCableConformanceTest extends TransferConformance {

  private static final int MAX_PIECE = 20_000;
  private static final Duration MAX_DELAY = Duration.ofNanos(200_000);

  /** The seed of the kit, which a rule that fails prints. */
  private final Random random = new Random(Long.getLong(Profile.SEED, 20_261_121));

  @Override
  protected Backend backend() {
    return CabledBackend.over(
        new TcpBackend(),
        cable -> {
          cable.crumble(MAX_PIECE, new Random(random.nextLong()));
          cable.delay(MAX_DELAY, new Random(random.nextLong()));
        },
        CabledBackend.Leaving.IN_GOOD_ORDER);
  }

  @Override
  protected Profile profile() {
    Profile all = Profile.defaults();
    return Boolean.getBoolean(Chapters.ALL) ? all.withNicCounts(1, 2) : all.withNicCounts(2);
  }
}
