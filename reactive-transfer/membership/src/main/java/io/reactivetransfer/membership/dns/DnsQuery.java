package io.reactivetransfer.membership.dns;

import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;

/**
 * What is asked again and again.
 *
 * @param host of what
 * @param role of the nodes that answers name
 * @param types of which types of record, each by a question of its own
 * @param servers whom, in turn; if there are none, the name servers of this machine
 * @param shortest between two questions
 * @param longest between two questions
 * @param timeout of one question to one server
 */
record DnsQuery(
    String host,
    String role,
    List<RecordType> types,
    List<InetSocketAddress> servers,
    Duration shortest,
    Duration longest,
    Duration timeout) {

  /** Until when the next question waits. */
  Duration interval(long ttlSeconds) {
    Duration ttl = Duration.ofSeconds(ttlSeconds);
    if (ttl.compareTo(shortest) < 0) {
      return shortest;
    }
    return ttl.compareTo(longest) > 0 ? longest : ttl;
  }
}
