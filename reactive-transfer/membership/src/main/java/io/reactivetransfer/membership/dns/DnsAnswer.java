package io.reactivetransfer.membership.dns;

import io.netty.handler.codec.dns.DnsRawRecord;
import io.netty.handler.codec.dns.DnsRecord;
import io.netty.handler.codec.dns.DnsRecordType;
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
 * @param ttlSeconds for how long that is so; {@link #NO_RECORDS} if there are none
 */
record DnsAnswer(List<Node> nodes, long ttlSeconds) {

  /**
   * More than any time to live: that a host has no IPv6 says nothing of how soon to ask again for
   * the IPv4 that it has.
   */
  static final long NO_RECORDS = Long.MAX_VALUE;

  private static final Logger LOG = Loggers.getLogger(DnsAnswer.class);

  /**
   * Reads a response, which it leaves to be released.
   *
   * @throws IOException if it says nothing of the name
   */
  static DnsAnswer of(DnsResponse response, RecordType type, String role) throws IOException {
    DnsResponseCode code = response.code();
    if (code.equals(DnsResponseCode.NXDOMAIN)) {
      return new DnsAnswer(List.of(), NO_RECORDS);
    }
    if (!code.equals(DnsResponseCode.NOERROR)) {
      throw new IOException("the name server says " + code);
    }
    if (response.isTruncated()) {
      throw new IOException("the name server has cut its answer, by TCP too");
    }
    Set<Node> nodes = new LinkedHashSet<>();
    long ttl = NO_RECORDS;
    for (int i = 0; i < response.count(DnsSection.ANSWER); i++) {
      DnsRecord record = response.recordAt(DnsSection.ANSWER, i);
      if (record.type().equals(type.type()) && record instanceof DnsRawRecord raw) {
        ttl = Math.min(ttl, raw.timeToLive());
        node(raw, type, role).forEach(nodes::add);
      }
    }
    if (ttl == NO_RECORDS && isNoAnswer(response)) {
      throw new IOException(
          "the name server names another one, or an alias that it did not follow");
    }
    return new DnsAnswer(List.copyOf(nodes), nodes.isEmpty() ? NO_RECORDS : ttl);
  }

  /**
   * Whether a response without the records that were asked for leaves open whether there are any:
   * by RFC 2308 one with a SOA says that there are none, one with name servers only refers to them,
   * and one with nothing but an alias is whole only where the server follows aliases for others.
   */
  private static boolean isNoAnswer(DnsResponse response) {
    if (has(response, DnsSection.AUTHORITY, DnsRecordType.SOA)) {
      return false;
    }
    return has(response, DnsSection.AUTHORITY, DnsRecordType.NS)
        || (has(response, DnsSection.ANSWER, DnsRecordType.CNAME)
            && !response.isRecursionAvailable());
  }

  private static boolean has(DnsResponse response, DnsSection section, DnsRecordType type) {
    for (int i = 0; i < response.count(section); i++) {
      if (response.recordAt(section, i).type().equals(type)) {
        return true;
      }
    }
    return false;
  }

  private static Stream<Node> node(DnsRawRecord record, RecordType type, String role) {
    try {
      return type.address().apply(record.content()).stream()
          .map(address -> Node.of(address.toString(), role, address));
    } catch (RuntimeException e) {
      LOG.warn(
          "a record {} of DNS is no node, and is passed over: {}",
          type.type().name(),
          clip(e.toString()));
      return Stream.empty();
    }
  }

  /** What others have written, bounded and without control characters, for the log. */
  private static String clip(String text) {
    String safe = text.replaceAll("[^\\x20-\\x7e]", "?");
    return safe.length() <= 200 ? safe : safe.substring(0, 200) + "...";
  }
}
