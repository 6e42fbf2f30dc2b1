package io.reactivetransfer.membership.dns;

import io.netty.handler.codec.dns.DnsRawRecord;
import io.netty.handler.codec.dns.DnsRecord;
import io.netty.handler.codec.dns.DnsResponse;
import io.netty.handler.codec.dns.DnsResponseCode;
import io.netty.handler.codec.dns.DnsSection;
import io.reactivetransfer.membership.Node;
import java.io.IOException;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import reactor.util.Logger;
import reactor.util.Loggers;

/**
 * What a name server has said of one type of record.
 *
 * @param nodes that there are; none if there is no such name
 * @param ttlSeconds for how long that is so; 0 if there are none
 */
record DnsAnswer(List<Node> nodes, long ttlSeconds) {

  private static final Logger LOG = Loggers.getLogger(DnsAnswer.class);

  /**
   * Reads a response, which it leaves to be released.
   *
   * @throws IOException if it says nothing of the name
   */
  static DnsAnswer of(DnsResponse response, RecordType type, String role) throws IOException {
    DnsResponseCode code = response.code();
    if (code.equals(DnsResponseCode.NXDOMAIN)) {
      return new DnsAnswer(List.of(), 0);
    }
    if (!code.equals(DnsResponseCode.NOERROR)) {
      throw new IOException("the name server says " + code);
    }
    if (response.isTruncated()) {
      throw new IOException("the name server has cut its answer, by TCP too");
    }
    Set<Node> nodes = new LinkedHashSet<>();
    long ttl = Long.MAX_VALUE;
    for (int i = 0; i < response.count(DnsSection.ANSWER); i++) {
      DnsRecord record = response.recordAt(DnsSection.ANSWER, i);
      if (record.type().equals(type.type()) && record instanceof DnsRawRecord raw) {
        ttl = Math.min(ttl, raw.timeToLive());
        node(raw, type, role).forEach(nodes::add);
      }
    }
    return new DnsAnswer(List.copyOf(nodes), nodes.isEmpty() ? 0 : ttl);
  }

  private static Stream<Node> node(DnsRawRecord record, RecordType type, String role) {
    try {
      return type.address().apply(record.content()).stream()
          .map(address -> Node.of(address.toString(), role, address));
    } catch (RuntimeException e) {
      LOG.warn("a record {} of DNS is no node, and is passed over: {}", record, e.toString());
      return Stream.empty();
    }
  }
}
