package io.reactivetransfer.fuzz;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.net.spi.InetAddressResolver;
import java.net.spi.InetAddressResolverProvider;
import java.util.stream.Stream;

/** Names that lead where a test needs it, whatever this machine knows; all others are its own. */
public final class TestNames extends InetAddressResolverProvider {

  /** Two addresses of this machine, of which nobody listens on the first. */
  public static final String TWO_ADDRESSES = "two-addresses.test";

  @Override
  public String name() {
    return "names for tests";
  }

  @Override
  public InetAddressResolver get(Configuration configuration) {
    InetAddressResolver machine = configuration.builtinResolver();
    return new InetAddressResolver() {

      @Override
      public Stream<InetAddress> lookupByName(String host, LookupPolicy policy)
          throws UnknownHostException {
        return host.equals(TWO_ADDRESSES)
            ? Stream.of(loopback(host, 2), loopback(host, 1))
            : machine.lookupByName(host, policy);
      }

      @Override
      public String lookupByAddress(byte[] address) throws UnknownHostException {
        return machine.lookupByAddress(address);
      }
    };
  }

  private static InetAddress loopback(String host, int last) throws UnknownHostException {
    return InetAddress.getByAddress(host, new byte[] {127, 0, 0, (byte) last});
  }
}
