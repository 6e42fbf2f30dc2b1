package io.reactivetransfer.config;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.Message;
import io.reactivetransfer.TransferEngine;
import io.reactivetransfer.fuzz.TestPki;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Engines that a file has set up talk with each other, encrypted and with a secret. */
class OpenedEnginesTest {

  private static final Duration PATIENCE = Duration.ofSeconds(50);

  @TempDir private Path folder;

  private Path file(String name, String... lines) throws IOException {
    return Files.write(folder.resolve(name), List.of(lines));
  }

  @Test
  void twoThatKnowTheSecretMeet() throws IOException {
    TestPki.Files files = new TestPki().filesFor("127.0.0.1");
    Path secret = file("secret", "0123456789abcdef0123456789abcdef");
    Path properties =
        file(
            "engine.properties",
            "reactive-transfer.backend = tcp",
            "reactive-transfer.host = 127.0.0.1",
            "reactive-transfer.secret-file = " + secret,
            "reactive-transfer.ssl.certificate = " + files.certificates(),
            "reactive-transfer.ssl.private-key = " + files.key(),
            "reactive-transfer.ssl.trusted = " + files.trusted(),
            "reactive-transfer.message-credits = 3");
    EngineConfiguration configuration = EngineConfiguration.load(properties);
    TransferEngine one = configuration.builder().open().block(PATIENCE);
    TransferEngine other = configuration.builder().open().block(PATIENCE);
    one.send(one.peer(other.address()), ByteBuffer.allocate(7)).block(PATIENCE);
    Message message = other.messages().next().block(PATIENCE);
    assertThat(message.bytes().remaining()).isEqualTo(7);
    assertThat(one.options().messageCredits()).isEqualTo(3);
    one.close().then(other.close()).block(PATIENCE);
  }

  @Test
  void aBackendThatDoesNotListenNeedsNothing() throws IOException {
    Path properties = file("engine.properties", "reactive-transfer.engines.a.backend = loopback");
    TransferEngine engine =
        EngineConfiguration.load(properties).named("a").builder().open().block(PATIENCE);
    assertThat(engine.backend()).isEqualTo("loopback");
    engine.close().block(PATIENCE);
  }
}
