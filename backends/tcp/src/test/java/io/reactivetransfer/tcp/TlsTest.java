package io.reactivetransfer.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.control.Tls;
import io.reactivetransfer.fuzz.TestPki;
import io.reactivetransfer.spi.Operation;
import io.reactivetransfer.spi.RemoteMemory;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What is encrypted arrives as it was; and who is not trusted gets no connection, and a reason. */
class TlsTest {

  private static final TestPki PKI = new TestPki();
  private static final Tls MUTUAL = PKI.here(Tls::mutual);
  private static final Tls SERVER = PKI.here(Tls::server);

  /** Many records of TLS, and no more: the tests' compiler has no instructions of AES. */
  private static final int LONG = 150_000;

  private static TestNic nic(@Nullable Tls tls) {
    TcpBackend.Builder builder = TcpBackend.builder();
    TcpBackend backend = tls == null ? builder.build() : builder.tls(tls).build();
    return new TestNic(backend, 64, Duration.ofSeconds(30));
  }

  @Test
  void writesOfAllSizesArrive() {
    try (TestNic origin = nic(MUTUAL);
        TestNic target = nic(MUTUAL)) {
      int token = 0;
      for (int length : new int[] {1, 100, 4_096, 4_097, 70_000, LONG}) {
        var source = WriteTest.filled(origin.register(length), length);
        var sink = target.register(length);
        RemoteMemory remote = origin.remote(target, sink);
        origin.write(source, remote, length, ++token);
        origin.awaitWritten(token);
        assertThat(sink.segment().mismatch(source.segment())).isEqualTo(-1);
      }
      assertThat(origin.failed).isEmpty();
    }
  }

  /** Which then share records of TLS, and are cut across them. */
  @Test
  void manyWritesAtOnceArrive() {
    assertManyArrive(5_000);
  }

  /** A usual build has one length below that of a record, and longer ones alone. */
  @ParameterizedTest
  @ValueSource(ints = {4_097, 9_000, 17_000})
  @Tag("nightly")
  void manyWritesOfOtherLengthsArriveToo(int length) {
    assertManyArrive(length);
  }

  private static void assertManyArrive(int length) {
    int count = Math.max(100, (1 << 20) / length + 50); // more than waits for a socket at a time
    try (TestNic origin = nic(SERVER);
        TestNic target = nic(SERVER)) {
      var source = WriteTest.filled(origin.register(3L * length), 1);
      var sink = target.register((long) count * length);
      RemoteMemory remote = origin.remote(target, sink);
      for (int i = 0; i < count; i++) {
        origin.write(
            new Operation()
                .between(source.local(), remote)
                .range(i % 3L * length, (long) i * length, length)
                .token(i + 1));
      }
      origin.awaitWritten(count);
      for (int i = 0; i < count; i++) {
        MemorySegment written = sink.segment().asSlice((long) i * length, length);
        assertThat(written.mismatch(source.segment().asSlice(i % 3L * length, length)))
            .isEqualTo(-1);
      }
    }
  }

  @Test
  void piecesAreSmallEnoughToEncryptAtOnce() {
    try (TestNic encrypted = nic(SERVER);
        TestNic plain = nic(null)) {
      assertThat(encrypted.domain.capabilities().maxWriteBytes())
          .isLessThan(plain.domain.capabilities().maxWriteBytes());
    }
  }

  @Test
  void aServersCertificateIsEnoughUnlessBothMustShowOne() {
    try (TestNic origin = nic(SERVER);
        TestNic target = nic(SERVER)) {
      origin.send(origin.peer(target), "hello");
      target.awaitUntil(() -> !target.messages.isEmpty());
    }
    lost(SERVER, MUTUAL, "TLS");
  }

  @Test
  void aStrangersCertificateIsRefused() {
    lost(SERVER, new TestPki().here(Tls::server), "no TLS with", "certification path");
    lost(new TestPki().here(Tls::mutual), MUTUAL, "no TLS with");
  }

  @Test
  void aCertificateForAnotherHostIsRefused() {
    TestPki.Files elsewhere = PKI.filesFor("10.1.2.3");
    Tls tls = Tls.server(elsewhere.certificates(), elsewhere.key(), elsewhere.trusted());
    lost(SERVER, tls, "no TLS with", "127.0.0.1");
  }

  @Test
  void oneThatDoesNotEncryptIsToldSo() {
    lost(null, SERVER, "does one side use TLS and the other not");
  }

  @Test
  void oneThatEncryptsIsToldThatTheOtherDoesNot() {
    lost(SERVER, null, "does not use TLS");
  }

  private static void lost(@Nullable Tls ofOrigin, @Nullable Tls ofTarget, String... text) {
    try (TestNic origin = nic(ofOrigin);
        TestNic target = nic(ofTarget)) {
      origin.send(origin.peer(target), "hello");
      assertThat(origin.awaitLost().text()).contains(text);
      assertThat(target.messages).isEmpty();
    }
  }

  @Test
  void silenceBeforeTheTlsHandshakeEndsAtTheDeadline() {
    try (TestNic target =
            new TestNic(TcpBackend.builder().tls(SERVER).build(), 8, Duration.ofMillis(300));
        RawConnection raw = RawConnection.to(target)) {
      assertThat(raw.isAtEnd()).isTrue();
    }
  }
}
