package io.reactivetransfer.examples.weights;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.examples.ExampleRun;
import io.reactivetransfer.weights.DataType;
import io.reactivetransfer.weights.Shape;
import io.reactivetransfer.weights.Tensor;
import io.reactivetransfer.weights.safetensors.SafetensorsWriter;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.w3c.dom.Document;

/** The program, with all others of its processes over tcp, and none over loopback. */
@Timeout(170)
class WeightsTest {

  private static String output(String backend, String... arguments) throws Exception {
    List<String> all = new ArrayList<>(List.of("weights", "--backend=" + backend));
    all.addAll(List.of(arguments));
    ExampleRun program = ExampleRun.over(backend, all.toArray(String[]::new));
    assertThat(program.code()).as(program::toString).isZero();
    assertThat(program.stderr()).isEmpty();
    return program.stdout();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        "fsdp=2;tp=3,dtype=fp8;outlive",
        "tp=2,fsdp=2;pp=2,dtype=int8;wait",
        "pp=2,dtype=fp32;tp=2,dp=2,dtype=fp16;in-place"
      })
  void everyByteIsThatOfTheReference(String from, String to, String mode) throws Exception {
    assertThat(
            output(
                "loopback",
                "--size=600KiB",
                "--updates=2",
                "--checksums=all",
                "--from=" + from,
                "--to=" + to,
                "--mode=" + mode))
        .contains("update 2 of 2")
        .containsPattern("verified +[0-9,]+ bytes of [0-9] ranks behind each of 2 updates");
  }

  @Test
  void aFileIsTakenAsItIsNamed(@TempDir Path folder) throws Exception {
    Path file = folder.resolve("model.safetensors");
    Random random = new Random(7);
    try (Arena arena = Arena.ofConfined()) {
      SafetensorsWriter writer = new SafetensorsWriter();
      for (Tensor tensor :
          List.of(
              new Tensor("model.layers.0.mlp.down_proj.weight", DataType.BF16, Shape.of(130, 257)),
              new Tensor("model.layers.0.norm.weight", DataType.BF16, Shape.of(257)),
              new Tensor("lm_head.weight", DataType.FP16, Shape.of(65, 130)))) {
        MemorySegment values = arena.allocate(tensor.bytes());
        for (long at = 0; at < tensor.bytes(); at += 2) {
          // Any finite value of both types.
          values.set(ValueLayout.JAVA_SHORT_UNALIGNED, at, (short) (random.nextInt() & 0xbbff));
        }
        writer.tensor(tensor, values);
      }
      writer.write(file);
    }
    assertThat(output("loopback", "--updates=2", file.toString()))
        .contains("in 3 tensors, 1 layers, fp16 and bf16; from fsdp=2 (2) to tp=3,dtype=fp8 (3)")
        .containsPattern("verified +[0-9,]+ bytes of 3 ranks behind each of 2 updates");
  }

  private static String killed(String victim, String... arguments) throws Exception {
    List<String> all = new ArrayList<>(List.of("--kill=" + victim, "--size=200KiB"));
    all.addAll(List.of(arguments));
    String output = output("tcp", all.toArray(String[]::new));
    assertThat(output)
        .containsPattern("killed +" + victim)
        .containsPattern("mended +in [0-9]+ ms.*all ranks serve version [12] of 2");
    return output;
  }

  /** All else that is said of processes, and drawn, is shown here, too. */
  @Test
  void aControllerThatIsKilledIsReplacedAndTheNextUpdateIsRight(@TempDir Path folder)
      throws Exception {
    Path file = folder.resolve("timeline.svg");
    assertThat(
            killed(
                "controller",
                "--trainers=2",
                "--ranks=2",
                "--to=tp=2,dtype=fp8",
                "--timeline=" + file))
        .containsPattern("trainers are processes \\d+ \\d+, ranks are processes \\d+ \\d+, contr")
        .containsPattern("plan +[0-9]+ steps, [0-9]+ writes")
        .containsPattern("update +1 of 1: [0-9.]+ ms; ")
        .containsPattern("run +[0-9.]+ ms of trainer-[01]")
        .containsPattern("  load +[0-9.]+ ms")
        .containsPattern("  prepare +[0-9.]+ ms")
        .containsPattern("  submit +[0-9.]+ ms, +[0-9]+ %: [0-9.]+ us x [0-9]+ writes handed over")
        .containsPattern("verified +[0-9,]+ bytes of 2 ranks behind each of 1 updates");
    Document svg = DocumentBuilderFactory.newNSInstance().newDocumentBuilder().parse(file.toFile());
    assertThat(svg.getDocumentElement().getTextContent())
        .contains("controller", "trainer-0 prepares", "trainer-1 prepares", "rank-0", "rank-1")
        .contains("has all bytes, until it serves them", "hands writes over");
  }

  // In a usual build a controller is killed, above.
  @ParameterizedTest
  @ValueSource(strings = {"trainer", "rank"})
  @Tag("nightly")
  void whoIsKilledIsReplacedAndTheNextUpdateIsRight(String victim) throws Exception {
    assertThat(killed(victim, "--trainers=1", "--ranks=2", "--to=tp=2"))
        .containsPattern("verified +[0-9,]+ bytes of 2 ranks behind each of 1 updates");
  }
}
