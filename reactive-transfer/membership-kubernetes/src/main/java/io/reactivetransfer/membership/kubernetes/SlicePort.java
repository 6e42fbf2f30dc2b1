package io.reactivetransfer.membership.kubernetes;

import io.fabric8.kubernetes.api.model.discovery.v1.EndpointPort;
import io.fabric8.kubernetes.api.model.discovery.v1.EndpointSlice;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Where the engines of a service listen.
 *
 * @param name of a port of the service; null if the number is given
 * @param number of the port; 0 if the name is given
 */
record SlicePort(@Nullable String name, int number) {

  /**
   * The number that holds for the endpoints of a slice: different slices may have different ones.
   *
   * @throws IllegalArgumentException if the slice has no such port
   */
  int in(EndpointSlice slice) {
    if (name == null) {
      return number;
    }
    List<EndpointPort> ports = Objects.requireNonNullElse(slice.getPorts(), List.of());
    for (EndpointPort port : ports) {
      if (name.equals(port.getName()) && port.getPort() != null) {
        return port.getPort();
      }
    }
    throw new IllegalArgumentException(
        "expected a port with the name '%s' and a number, got %s; name one of the service, or give its number"
            .formatted(name, ports.stream().map(EndpointPort::getName).toList()));
  }
}
