package io.reactivetransfer.cuda;

import io.reactivetransfer.Access;
import io.reactivetransfer.HostMemory;
import io.reactivetransfer.Memory;
import io.reactivetransfer.Nic;
import io.reactivetransfer.spi.Backend;
import io.reactivetransfer.spi.Devices;
import io.reactivetransfer.spi.Domain;
import io.reactivetransfer.spi.LocalMemory;
import io.reactivetransfer.spi.OpenContext;
import io.reactivetransfer.tck.ForwardingBackend;
import io.reactivetransfer.tck.ForwardingDomain;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.function.Predicate;

/**
 * A backend which is given memory of a GPU where the kit registers {@link ShownMemory}: so the kit
 * looks at the bytes of the GPU as if they were the host's, and the backend has to copy them.
 */
final class DeviceNics extends ForwardingBackend {

  /**
   * In front of this one.
   *
   * @param which accesses are for memory of the GPU; others stay memory of the host
   */
  DeviceNics(Backend inner, Predicate<Access> which) {
    super(inner, (domain, _) -> new DeviceNic(domain, which));
  }

  @Override
  public CompletionStage<Domain> open(Nic nic, OpenContext context) {
    Devices gpus = Devices.of(List.of(new CudaAccess()));
    return super.open(nic, context.toBuilder().devices(gpus).build());
  }

  private static final class DeviceNic extends ForwardingDomain {

    private final Predicate<Access> which;

    DeviceNic(Domain inner, Predicate<Access> which) {
      super(inner);
      this.which = which;
    }

    @Override
    public CompletionStage<LocalMemory> register(Memory memory, Access access) {
      return super.register(
          memory instanceof HostMemory host && which.test(access)
              ? ShownMemory.behind(host)
              : memory,
          access);
    }
  }
}
