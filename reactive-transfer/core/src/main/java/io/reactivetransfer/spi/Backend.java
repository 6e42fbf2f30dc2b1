package io.reactivetransfer.spi;

import io.reactivetransfer.Device;
import io.reactivetransfer.Nic;
import java.util.List;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * A kind of NIC that engines can be built on. Found by name through {@link
 * java.util.ServiceLoader}, or given to the builder as an object. Its class loads and answers on
 * any machine, whether or not its hardware and libraries are there. Safe from any thread; one
 * object may serve many engines.
 */
public interface Backend {

  /** Short lower-case name, such as {@code tcp}. */
  String name();

  /** Whether it can run here; if not, why not and how to mend it. */
  Availability availability();

  /** The NICs that an engine uses when it is not told how many, best first; 1 to 8. */
  List<Nic> nics();

  /**
   * The NICs that an engine uses when it wants this many. A backend whose NICs are software can
   * make as many as are asked for.
   *
   * @param count 1 to 8
   * @throws BackendException if there are fewer
   */
  default List<Nic> nics(int count) {
    List<Nic> all = nics();
    if (all.size() < count) {
      throw new BackendException(
          0, "expected " + count + " NICs, got " + all.size() + " that " + name() + " has here");
    }
    return all.subList(0, count);
  }

  /**
   * What people should know of an available backend on this machine, one line each: what it found,
   * what it did not use and why, what it cannot keep.
   */
  default List<String> remarks() {
    return List.of();
  }

  /**
   * How a NIC would come at memory of an accelerator. Says what is found here, for people and for
   * the choice of NICs, and promises nothing: a single NIC may refuse, or take another way. Opens
   * nothing.
   *
   * @param nic one of those listed
   * @param device one of those of the access
   * @param access reaches it, and is available
   */
  default DeviceWay wayTo(Nic nic, Device device, DeviceAccess access) {
    return DeviceWay.UNKNOWN;
  }

  /**
   * A new loop of the backend's own, which will drive the NICs of one engine, or null if the engine
   * shall drive them by a dedicated thread. The engine closes it.
   */
  default @Nullable WorkerLoop newLoop() {
    return null;
  }

  /**
   * Opens the control channel of one engine, before its NICs. Called on the thread that will drive
   * both, and must not block it; may complete on any thread.
   *
   * @return the open channel, or a {@link BackendException}
   */
  CompletionStage<ControlChannel> openControl(ControlContext context);

  /**
   * Opens one NIC. Called on the thread that will drive it, and must not block it; may complete on
   * any thread.
   *
   * @param nic one of those listed
   * @return the opened NIC, or a {@link BackendException}
   */
  CompletionStage<Domain> open(Nic nic, OpenContext context);
}
