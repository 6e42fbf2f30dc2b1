package io.reactivetransfer.membership.dns;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.handler.codec.dns.DefaultDnsRecordDecoder;
import io.netty.handler.codec.dns.DnsRecordType;
import io.netty.util.NetUtil;
import io.reactivetransfer.HostPort;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Function;

/**
 * A type of record, and how one of it says where a node is.
 *
 * @param type of DNS
 * @param address reads the data of a record; empty if it says that there is nothing
 */
record RecordType(DnsRecordType type, Function<ByteBuf, Optional<HostPort>> address) {

  private static final int PRIORITY_AND_WEIGHT_BYTES = 4;

  static RecordType ipv4(int port) {
    return new RecordType(DnsRecordType.A, data -> address(data, port));
  }

  static RecordType ipv6(int port) {
    return new RecordType(DnsRecordType.AAAA, data -> address(data, port));
  }

  static RecordType service() {
    return new RecordType(DnsRecordType.SRV, RecordType::target);
  }

  private static Optional<HostPort> address(ByteBuf data, int port) {
    String host = NetUtil.bytesToIpAddress(ByteBufUtil.getBytes(data));
    return Optional.of(new HostPort(host, port));
  }

  /**
   * By RFC 2782 a target that is the root says that the service is not to be had. Servers may write
   * one host with large and small letters, now this way and now that.
   */
  private static Optional<HostPort> target(ByteBuf data) {
    ByteBuf rest = data.duplicate();
    rest.skipBytes(PRIORITY_AND_WEIGHT_BYTES);
    int port = rest.readUnsignedShort();
    String name = DefaultDnsRecordDecoder.decodeName(rest);
    String host = name.substring(0, name.length() - 1).toLowerCase(Locale.ROOT);
    return host.isEmpty() ? Optional.empty() : Optional.of(new HostPort(host, port));
  }
}
