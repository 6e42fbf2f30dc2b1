package io.reactivetransfer.tcp;

import io.reactivetransfer.spi.Availability;
import io.reactivetransfer.tck.ForwardingBackend;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Assumptions;

/** The loopback address of IPv6, where the machine has one. */
final class Ipv6 extends ForwardingBackend {

  static final String LOOPBACK = "::1";

  private final Availability availability = look();

  /** Listens there; unavailable where there is none. */
  Ipv6() {
    super(TcpBackend.builder().host(LOOPBACK).build(), (domain, _) -> domain);
  }

  @Override
  public Availability availability() {
    return availability;
  }

  private static Availability look() {
    try (ServerSocket _ = new ServerSocket(0, 1, InetAddress.getByName(LOOPBACK))) {
      return Availability.available();
    } catch (IOException e) {
      return Availability.unavailable("there is no IPv6: " + e.getMessage(), "enable it");
    }
  }

  /** Skips a test, visibly, where there is none. */
  static void require() {
    if (look() instanceof Availability.Unavailable not) {
      if (Boolean.getBoolean("reactivetransfer.requireAll")) {
        Assertions.fail(not.reason());
      }
      Assumptions.abort(not.reason());
    }
  }
}
