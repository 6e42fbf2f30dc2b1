package io.reactivetransfer.staging;

import static io.reactivetransfer.staging.StagedNic.noise;
import static io.reactivetransfer.staging.StagedNic.onHost;
import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.Access;
import io.reactivetransfer.CompletionLevel;
import io.reactivetransfer.DeviceMemory;
import io.reactivetransfer.spi.Domain;
import io.reactivetransfer.spi.LocalMemory;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.scheduler.NonBlocking;

/** How the second NIC is opened, what it takes at once, and how it is closed. */
class SecondNicTest extends TwoNics {

  private static final long SECOND = 1_000_000_000;

  private int lastToken = 10;

  /** As the one that drives NICs, which nothing may block. */
  private static final class NicThread extends Thread implements NonBlocking {

    private NicThread(Runnable task) {
      super(task);
    }
  }

  /** What becomes of a write to an accelerator of the target. */
  private String write() {
    LocalMemory to = target.register(target.device.allocate(8), Access.REMOTE_WRITE);
    LocalMemory from = origin.register(onHost(noise(1, 8)), Access.LOCAL);
    origin.reports.clear();
    origin.write(from, origin.resolve(target, to, 8), 8, ++lastToken);
    runUntil(() -> !origin.reports.isEmpty());
    return origin.reports.getFirst();
  }

  /** Such as want of files, or of memory that may be locked. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void whatCouldNotBeOpenedIsTriedAgainAfterASecond(boolean ofTarget) {
    StagedNic refused = ofTarget ? target : origin;
    refused.refusal = "too many open files";
    assertThat(write()).startsWith("refused " + lastToken).contains("too many open files");
    refused.nanoTime += SECOND - 1;
    assertThat(write()).startsWith("refused " + lastToken).contains("too many open files");
    assertThat(refused.openings).isEqualTo(1);
    refused.nanoTime += 1;
    assertThat(write()).startsWith("refused " + lastToken).contains("too many open files");
    assertThat(refused.openings).isEqualTo(2);
    refused.refusal = "";
    assertThat(write()).as("within the next second").startsWith("refused " + lastToken);
    assertThat(refused.openings).isEqualTo(2);
    refused.nanoTime += SECOND;
    assertThat(write()).isEqualTo("written " + lastToken);
    assertThat(write()).isEqualTo("written " + lastToken);
    assertThat(refused.openings).isEqualTo(3);
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void soIsWhatCouldNotBeRegisteredForIt(boolean ofTarget) {
    StagedNic refused = ofTarget ? target : origin;
    refused.second.refusals = 1;
    assertThat(write()).startsWith("refused " + lastToken).contains("no memory may be locked");
    assertThat(write()).startsWith("refused " + lastToken).contains("no memory may be locked");
    refused.nanoTime += SECOND;
    assertThat(write()).isEqualTo("written " + lastToken);
    assertThat(refused.openings).as("of the one that is open").isEqualTo(1);
    refused.domain.close();
    assertThat(refused.second.isClosed).isTrue();
  }

  /** A NIC that has failed is another matter. */
  @Test
  void whatHasFailedIsNotOpenedAgain() {
    assertThat(write()).isEqualTo("written " + lastToken);
    origin.second.fail("it is gone");
    rest();
    origin.nanoTime += SECOND;
    assertThat(write()).startsWith("refused " + lastToken).contains("it is gone");
    assertThat(origin.openings).isEqualTo(1);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 1_000, Pinned.MOST_BYTES - 1, Pinned.MOST_BYTES, Pinned.MOST_BYTES + 1})
  void aPieceIsNoLongerThanWhatItTakesWithTheFrame(int most) {
    origin.second.maxWriteBytes = most + Frame.BYTES;
    int length = Math.min(most, Pinned.MOST_BYTES) * 3 + 1;
    byte[] bytes = noise(2, length);
    DeviceMemory there = target.device.allocate(length);
    LocalMemory to = target.register(there, Access.REMOTE_WRITE);
    LocalMemory from = origin.register(origin.onDevice(bytes), Access.LOCAL);
    assertArrives(from, to, length, 5);
    assertThat(target.device.read(there)).isEqualTo(bytes);
    assertThat(target.reports).containsExactly(arrived(5));
    assertThat(target.lengths).containsExactly((long) length);
  }

  @Test
  void oneThatTakesNothingBehindAFrameIsOfNoUse() {
    origin.second.maxWriteBytes = Frame.BYTES;
    assertThat(write()).startsWith("refused " + lastToken).contains("more than 64 bytes at once");
    LocalMemory host = target.register(onHost(new byte[8]), Access.REMOTE_WRITE);
    assertArrives(origin.register(origin.onDevice(noise(3, 8)), Access.LOCAL), host, 8, 6);
    origin.domain.close();
    assertThat(origin.second.isClosed).isTrue();
  }

  private Domain opening(ScriptedNic main, CompletableFuture<Domain> late, StagedNic like) {
    Domain domain = StagingDomain.before(main, () -> late, like.context());
    domain.register(like.device.allocate(8), Access.REMOTE_WRITE);
    return domain;
  }

  /** Or a part of an engine would outlive its close. */
  @Test
  void whatIsBeingOpenedIsClosedWhenCloseReturns() throws InterruptedException {
    CompletableFuture<Domain> late = new CompletableFuture<>();
    ScriptedNic main = new ScriptedNic(CompletionLevel.DELIVERED);
    ScriptedNic second = new ScriptedNic(CompletionLevel.DELIVERED);
    Domain domain = opening(main, late, origin);
    Thread closing = new NicThread(domain::close); // so that BlockHound looks at it
    closing.start();
    boolean isWaiting = false;
    while (closing.isAlive() && !isWaiting) {
      isWaiting = closing.getState() == Thread.State.TIMED_WAITING;
    }
    assertThat(isWaiting).as("whether close() waits for what is being opened").isTrue();
    late.complete(second);
    closing.join();
    assertThat(main.isClosed).isTrue();
    assertThat(second.isClosed).isTrue();
  }

  @Test
  void whatIsOpenedLongAfterClosingIsClosed() {
    CompletableFuture<Domain> late = new CompletableFuture<>();
    ScriptedNic main = new ScriptedNic(CompletionLevel.DELIVERED);
    ScriptedNic second = new ScriptedNic(CompletionLevel.DELIVERED);
    second.closing = new IllegalStateException("which nobody hears of but the log");
    opening(main, late, new StagedNic(CompletionLevel.DELIVERED, StagedNic.SHORT)).close();
    assertThat(main.isClosed).isTrue();
    late.complete(second);
    assertThat(second.isClosed).isTrue();
  }
}
