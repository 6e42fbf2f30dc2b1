package io.reactivetransfer.ibverbs;

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

/**
 * A backend which is given memory of an accelerator wherever the kit registers memory: the kit
 * looks at the bytes as the host's, and the cards get them as dma-bufs.
 */
final class DeviceOfCards extends ForwardingBackend {

  private final ExportingDevice device;

  DeviceOfCards(Backend inner, ExportingDevice device) {
    super(inner, (domain, _) -> new DeviceNic(domain));
    this.device = device;
  }

  @Override
  public CompletionStage<Domain> open(Nic nic, OpenContext context) {
    return super.open(nic, context.toBuilder().devices(Devices.of(List.of(device))).build());
  }

  private static final class DeviceNic extends ForwardingDomain {

    DeviceNic(Domain inner) {
      super(inner);
    }

    @Override
    public CompletionStage<LocalMemory> register(Memory memory, Access access) {
      return super.register(
          memory instanceof HostMemory host && host.length() > 0
              ? ExportingDevice.behind(host)
              : memory,
          access);
    }
  }
}
