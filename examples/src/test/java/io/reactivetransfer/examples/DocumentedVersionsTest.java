package io.reactivetransfer.examples;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The versions in docs/compatibility.md are those of the code and of the build. */
class DocumentedVersionsTest {

  private static final Path ROOT = Path.of("..");
  private static final Path PAGE = ROOT.resolve("docs/compatibility.md");

  /** The second cell of the row whose first cell begins with this. */
  private static String versionIn(String row) throws IOException {
    List<String> rows =
        Files.readString(PAGE).lines().filter(line -> line.startsWith("| " + row)).toList();
    assertThat(rows).as("rows that begin with %s", row).hasSize(1);
    return rows.getFirst().split("\\|", -1)[2].strip();
  }

  private static String found(Path file, String regex) throws IOException {
    Matcher found = Pattern.compile(regex).matcher(Files.readString(file));
    assertThat(found.find()).as("%s in %s", regex, file).isTrue();
    return found.group(1);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          the control channel                   | backends/control        | control.Handshake
          connections of `tcp`'s NICs           | backends/tcp            | tcp.Handshake
          messages of a hand-over               | reactive-transfer/kv-cache | kvcache.KvCodec
          messages of controllers and ranks     | reactive-transfer/weights | weights.version.VersionCodec
          orders for trainers elsewhere         | reactive-transfer/weights | weights.remote.RemoteCodec
          messages of trainers to each other    | reactive-transfer/weights | weights.run.GatherCodec
          checksums of weights                  | reactive-transfer/weights | weights.check.SumCodec
          messages of groups of experts         | reactive-transfer/moe   | moe.MoeCodec
          rows of routes                        | reactive-transfer/moe   | moe.RouteRow
          tables of weights in bytes            | reactive-transfer/weights | weights.codec.WeightsCodec
          """)
  void peersHaveTheVersionsOfTheCode(String row, String module, String type) throws IOException {
    String path = "src/main/java/io/reactivetransfer/" + type.replace('.', '/') + ".java";
    assertThat(versionIn(row))
        .isEqualTo(found(ROOT.resolve(module).resolve(path), " VERSION = (\\d+);"));
  }

  @ParameterizedTest
  @CsvSource({
    "`tcp`, backends/tcp, tcp/NicAddress",
    "`ibverbs`, backends/ibverbs, ibverbs/VerbsAddress",
    "`libfabric`, backends/libfabric, libfabric/FabricAddress"
  })
  void addressesOfNicsToo(String backend, String module, String type) throws IOException {
    String path = "src/main/java/io/reactivetransfer/" + type + ".java";
    assertThat(versionIn("addresses of NICs").split(", "))
        .contains(backend + " " + found(ROOT.resolve(module).resolve(path), " VERSION = (\\d+);"));
  }

  @ParameterizedTest
  @CsvSource({
    "Reactor, reactor-bom.version",
    "Netty, netty.version",
    "JCTools, jctools.version",
    "Micrometer, micrometer.version",
    "SmallRye Config, smallrye-config.version",
    "jetcd, jetcd.version",
    "jetcd, grpc.version",
    "fabric8's kubernetes-client, kubernetes-client.version",
    "Jackson, jackson.version",
    "JCuda, jcuda.version",
    "SLF4J, slf4j.version"
  })
  void librariesHaveTheVersionsOfTheBuild(String row, String property) throws IOException {
    String version = found(ROOT.resolve("pom.xml"), "<" + property + ">([^<]+)<");
    assertThat(versionIn(row).split("[ ,;()`]+")).contains(version);
  }
}
