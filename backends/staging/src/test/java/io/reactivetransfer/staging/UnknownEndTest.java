package io.reactivetransfer.staging;

import static io.reactivetransfer.staging.StagedNic.noise;
import static io.reactivetransfer.staging.StagedNic.onHost;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivetransfer.Access;
import io.reactivetransfer.DeviceMemory;
import io.reactivetransfer.spi.BackendException;
import io.reactivetransfer.spi.LocalMemory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Copies of which their accelerator does not say whether they are over. */
class UnknownEndTest extends TwoNics {

  /** An accelerator may write there yet, whatever its owner does with it. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void memoryOfWhichNobodyKnowsWhetherItIsStillWrittenIsNotLetGoOf(boolean isUnderWay) {
    connect();
    LocalMemory to = target.register(target.device.allocate(8), Access.REMOTE_WRITE);
    LocalMemory other = target.register(target.device.allocate(8), Access.REMOTE_WRITE);
    LocalMemory from = origin.register(onHost(noise(10, 8)), Access.LOCAL);
    origin.write(from, origin.resolve(target, to, 8), 8, 5);
    while (origin.second.onWay.isEmpty()) {
      origin.turn();
    }
    origin.second.onWay.getFirst().come();
    target.turn(); // begins to store
    target.device.mute(true);
    if (!isUnderWay) {
      target.turn();
    }
    assertThat(target.domain.revoke(to).toCompletableFuture())
        .isCompletedExceptionally()
        .satisfies(ended ->
            assertThat(ended.exceptionNow())
                .isInstanceOf(BackendException.class)
                .hasMessageContaining("it does not say"));
    assertThat(target.domain.deregister(to).toCompletableFuture()).isCompletedExceptionally();
    target.device.mute(false);
    runUntil(() -> !origin.reports.isEmpty());
    assertThat(origin.reports.getFirst()).as("which is in doubt").startsWith("failed 5: ");
    assertThat(target.domain.deregister(other).toCompletableFuture()).isCompletedWithValue(null);
    assertThatThrownBy(target.domain::close)
        .isInstanceOf(BackendException.class)
        .hasMessageContaining("copies that are over");
  }

  /** To that it is copied at once, since the window's buffers are of the first one. */
  @Test
  void soIsMemoryOfAnotherAcceleratorThanTheWindows() {
    connect();
    LocalMemory to = target.register(target.other.allocate(8), Access.REMOTE_WRITE);
    LocalMemory from = origin.register(onHost(noise(10, 8)), Access.LOCAL);
    assertArrives(from, to, 8, 4);
    target.other.mute(true);
    origin.reports.clear();
    origin.write(from, origin.resolve(target, to, 8), 8, 5);
    runUntil(() -> !origin.reports.isEmpty());
    assertThat(origin.reports.getFirst()).startsWith("failed 5: ").contains("it does not say");
    target.other.mute(false);
    assertThat(target.domain.deregister(to).toCompletableFuture()).isCompletedExceptionally();
    assertThatThrownBy(target.domain::close)
        .isInstanceOf(BackendException.class)
        .hasMessageContaining("copies that are over");
  }

  @Test
  void whatAnotherAcceleratorRefusesIsRefused() {
    connect();
    DeviceMemory gone = target.other.allocate(8);
    LocalMemory to = target.register(gone, Access.REMOTE_WRITE);
    LocalMemory from = origin.register(onHost(noise(10, 8)), Access.LOCAL);
    target.other.free(gone);
    origin.write(from, origin.resolve(target, to, 8), 8, 5);
    runUntil(() -> !origin.reports.isEmpty());
    assertThat(origin.reports.getFirst()).startsWith("refused 5: ").contains("illegal address");
    assertThat(target.domain.deregister(to).toCompletableFuture()).isCompletedWithValue(null);
    target.domain.close();
  }

  @Test
  void memoryOfWhichNobodyKnowsWhetherItIsStillReadIsNotLetGoOf() {
    connect();
    LocalMemory from = origin.register(origin.device.allocate(8), Access.LOCAL);
    LocalMemory to = target.register(onHost(new byte[8]), Access.REMOTE_WRITE);
    origin.device.mute(true);
    origin.write(from, origin.resolve(target, to, 8), 8, 5);
    runUntil(() -> !origin.reports.isEmpty());
    assertThat(origin.reports.getFirst()).contains("the source could not be read");
    assertThat(origin.domain.deregister(from).toCompletableFuture()).isCompletedExceptionally();
    assertThatThrownBy(origin.domain::close)
        .isInstanceOf(BackendException.class)
        .hasMessageContaining("copies that are over");
  }
}
