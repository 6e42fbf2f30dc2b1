package io.reactivetransfer.spi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.reactivetransfer.CompletionLevel;
import io.reactivetransfer.Device;
import java.util.Set;
import org.junit.jupiter.api.Test;

class CapabilitiesTest {

  private static final Device GPU = Device.of("gpu", 0);

  @Test
  void promiseNothingThatWasNotSaid() {
    Capabilities least = Capabilities.builder(7, 1).build();
    assertThat(least.maxWriteBytes()).isEqualTo(7);
    assertThat(least.queueDepth()).isEqualTo(1);
    assertThat(least.completion()).isEqualTo(CompletionLevel.SOURCE_FREE);
    assertThat(least.fencesLostPeers()).isFalse();
    assertThat(least.devices()).containsExactly(Device.HOST);
    assertThat(least.operations()).containsExactly(Operation.Kind.WRITE);
    assertThat(least.maxRows()).isEqualTo(1);
    assertThat(least.maxGather()).isEqualTo(1);
  }

  @Test
  void keepWhatWasSaidAndWhatIsNotChanged() {
    Capabilities all =
        Capabilities.builder(7, 2)
            .completion(CompletionLevel.DELIVERED)
            .fencesLostPeers(true)
            .devices(Set.of(Device.HOST, GPU))
            .maxRows(9)
            .maxGather(6)
            .build();
    Capabilities.Builder changing = all.toBuilder().maxWriteBytes(8);
    Capabilities changed = changing.build();
    changing.queueDepth(3);
    assertThat(changed.maxWriteBytes()).isEqualTo(8);
    assertThat(changed.queueDepth()).isEqualTo(2);
    assertThat(changed.completion()).isEqualTo(CompletionLevel.DELIVERED);
    assertThat(changed.fencesLostPeers()).isTrue();
    assertThat(changed.devices()).containsExactlyInAnyOrder(Device.HOST, GPU);
    assertThat(changed.maxRows()).isEqualTo(9);
    assertThat(changed.maxGather()).isEqualTo(6);
    assertThat(all.maxWriteBytes()).isEqualTo(7);
    assertThat(all.toString()).contains("DELIVERED", "gpu:0", "WRITE", "9 rows", "gathers up to 6");
  }

  /** Who lowers the one, such as a layer above a NIC, need not know of the other. */
  @Test
  void gatherNoMoreRowsThanAnOperationHas() {
    Capabilities all = Capabilities.builder(7, 2).maxRows(4).maxGather(9).build();
    assertThat(all.maxGather()).isEqualTo(4);
    assertThat(all.toBuilder().maxRows(1).build().maxGather()).isEqualTo(1);
    assertThat(all.toBuilder().maxRows(20).build().maxGather()).isEqualTo(9);
    assertThat(Capabilities.builder(7, 2).maxGather(9).build().maxGather()).isEqualTo(1);
  }

  @Test
  void needBoundsAndADevice() {
    Capabilities.Builder builder = Capabilities.builder(1, 1);
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Capabilities.builder(0, 1).build())
        .withMessageContaining("maxWriteBytes 0");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Capabilities.builder(1, 0).build())
        .withMessageContaining("queueDepth 0");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Capabilities.builder(1, 1).maxRows(0).build())
        .withMessageContaining("maxRows 0");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Capabilities.builder(1, 1).maxGather(0).build())
        .withMessageContaining("maxGather 0");
    assertThatIllegalArgumentException().isThrownBy(() -> builder.devices(Set.of()).build());
  }
}
