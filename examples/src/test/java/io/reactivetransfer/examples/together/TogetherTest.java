package io.reactivetransfer.examples.together;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

class TogetherTest {

  @ParameterizedTest
  @ValueSource(strings = {"loopback", "tcp"})
  void everyByteIsComparedAndNothingIsLeft(String backend) {
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();
    CommandLine command = new CommandLine(new TogetherCommand());
    command.setOut(new PrintWriter(out, true)).setErr(new PrintWriter(err, true));
    assertThat(command.execute("--backend", backend, "--seconds", "1")).as("%s", err).isZero();
    assertThat(out.toString())
        .contains("KV one to two", "KV two to one", "weights", "experts")
        .contains("nothing left behind");
    assertThat(err.toString()).isEmpty();
  }
}
