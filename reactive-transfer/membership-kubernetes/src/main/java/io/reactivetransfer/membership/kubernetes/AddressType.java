package io.reactivetransfer.membership.kubernetes;

import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** What the addresses of an EndpointSlice are. Those that come first are preferred. */
public enum AddressType {
  /** IPv4. */
  IPV4("IPv4"),
  /** IPv6. */
  IPV6("IPv6"),
  /** Names of hosts, which are looked up when an engine dials them. */
  FQDN("FQDN");

  private final String inSlices;

  AddressType(String inSlices) {
    this.inSlices = inSlices;
  }

  static Optional<AddressType> of(@Nullable String inSlice) {
    return Stream.of(values()).filter(type -> type.inSlices.equals(inSlice)).findFirst();
  }
}
