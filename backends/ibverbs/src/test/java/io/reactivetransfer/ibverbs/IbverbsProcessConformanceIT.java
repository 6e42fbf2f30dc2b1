package io.reactivetransfer.ibverbs;

import io.reactivetransfer.spi.Backend;
import io.reactivetransfer.tck.ProcessConformance;
import io.reactivetransfer.tck.Profile;
import io.reactivetransfer.tck.process.ProcessBackend;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/**
 * Peers in processes that are killed, stopped, started anew and cut off, over the devices that
 * there are: of the guest, as {@link IbverbsConformanceIT} is.
 */
class IbverbsProcessConformanceIT extends ProcessConformance {

  private static final String DEVICES = "reactivetransfer.ibverbs.devices";

  /** The devices of the other processes, for what is to cross a cable; else the same ones. */
  private static final String OTHERS = DEVICES + ".others";

  static final class Verbs implements ProcessBackend {
    @Override
    public Backend get() {
      return new IbverbsBackend();
    }

    /** What cards send is not cut: of the network, the control channel is. */
    @Override
    public Backend at(String advertisedHost, int port) {
      return IbverbsBackend.builder().advertised(advertisedHost).port(port).build();
    }
  }

  @Override
  protected Class<? extends Supplier<Backend>> backend() {
    return Verbs.class;
  }

  @Override
  protected List<String> jvmOptions() {
    List<String> options = new ArrayList<>(super.jvmOptions());
    String devices = System.getProperty(OTHERS);
    if (devices != null) {
      options.add("-D" + DEVICES + "=" + devices);
    }
    return options;
  }

  @Override
  protected Profile profile() {
    return Profile.defaults().skipIfUnavailable();
  }
}
