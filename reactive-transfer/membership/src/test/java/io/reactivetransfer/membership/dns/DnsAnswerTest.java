package io.reactivetransfer.membership.dns;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.Unpooled;
import io.netty.handler.codec.dns.DefaultDnsRawRecord;
import io.netty.handler.codec.dns.DefaultDnsResponse;
import io.netty.handler.codec.dns.DnsOpCode;
import io.netty.handler.codec.dns.DnsRecordType;
import io.netty.handler.codec.dns.DnsResponse;
import io.netty.handler.codec.dns.DnsResponseCode;
import io.netty.handler.codec.dns.DnsSection;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Which responses say that there are no nodes, and which say nothing. */
class DnsAnswerTest {

  private final DnsResponse response =
      new DefaultDnsResponse(1, DnsOpCode.QUERY, DnsResponseCode.NOERROR);

  @AfterEach
  void release() {
    response.release();
  }

  private void add(DnsSection section, DnsRecordType type, int ttl, byte... data) {
    response.addRecord(
        section, new DefaultDnsRawRecord("host.test.", type, ttl, Unpooled.wrappedBuffer(data)));
  }

  private DnsAnswer read(RecordType type) throws IOException {
    return DnsAnswer.of(response, type, "role");
  }

  private void expectNone() throws IOException {
    assertThat(read(RecordType.ipv4(7400)))
        .isEqualTo(new DnsAnswer(List.of(), DnsAnswer.NO_RECORDS));
  }

  private void expectNothingSaid() {
    assertThatThrownBy(() -> read(RecordType.ipv4(7400)))
        .isInstanceOf(IOException.class)
        .hasMessageStartingWith("the name server names another one, or an alias");
  }

  @Test
  void theShortestTimeToLiveCounts() throws IOException {
    add(DnsSection.ANSWER, DnsRecordType.A, 30, (byte) 10, (byte) 0, (byte) 0, (byte) 1);
    add(DnsSection.ANSWER, DnsRecordType.A, 20, (byte) 10, (byte) 0, (byte) 0, (byte) 2);
    assertThat(read(RecordType.ipv4(7400)).ttlSeconds()).isEqualTo(20);
  }

  @Test
  void aResponseWithoutRecordsSaysThatThereAreNone() throws IOException {
    expectNone();
    add(DnsSection.AUTHORITY, DnsRecordType.SOA, 30);
    add(DnsSection.AUTHORITY, DnsRecordType.NS, 30);
    add(DnsSection.ANSWER, DnsRecordType.CNAME, 30);
    expectNone();
  }

  @Test
  void aReferralSaysNothing() {
    add(DnsSection.AUTHORITY, DnsRecordType.NS, 30);
    expectNothingSaid();
  }

  @Test
  void anAliasSaysThatThereAreNoneOnlyWhereTheServerFollowsAliases() throws IOException {
    add(DnsSection.ANSWER, DnsRecordType.CNAME, 30);
    expectNothingSaid();
    response.setRecursionAvailable(true);
    expectNone();
  }

  @Test
  void aRecordThatIsNoNodeIsPassedOver() throws IOException {
    add(DnsSection.ANSWER, DnsRecordType.A, 30, (byte) 10);
    expectNone();
  }

  @Test
  void targetsAreTheSameHoweverTheyAreWritten() throws IOException {
    byte[] head = {0, 0, 0, 0, 0x1c, (byte) 0xe8, 3};
    byte[] data = Arrays.copyOf(head, head.length + 4);
    System.arraycopy("P-0".getBytes(StandardCharsets.US_ASCII), 0, data, head.length, 3);
    add(DnsSection.ANSWER, DnsRecordType.SRV, 30, data);
    assertThat(read(RecordType.service()).nodes())
        .singleElement()
        .extracting(node -> node.name())
        .isEqualTo("p-0:7400");
  }
}
