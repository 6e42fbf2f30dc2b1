package io.reactivetransfer.libfabric;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.reactivetransfer.Access;
import io.reactivetransfer.EngineId;
import io.reactivetransfer.HostMemory;
import io.reactivetransfer.ffm.SignalHandlers;
import io.reactivetransfer.libfabric.ffi.FiInfo;
import io.reactivetransfer.libfabric.ffi.LibFabric;
import io.reactivetransfer.libfabric.ffi.TapLibFabric;
import io.reactivetransfer.spi.Availability;
import io.reactivetransfer.spi.BackendException;
import io.reactivetransfer.spi.Domain;
import io.reactivetransfer.spi.LocalMemory;
import io.reactivetransfer.spi.OpenContext;
import io.reactivetransfer.spi.RemotePeer;
import io.reactivetransfer.tck.driver.CCompiler;
import io.reactivetransfer.tck.driver.Recorder;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** The JVM keeps its handlers of signals. In processes of their own, which have loaded nothing. */
@EnabledOnOs(OS.LINUX)
class HandlersTest {

  private static final int V2_0 = 2 << 16;

  private static final String THIEF =
      """
      #include <signal.h>
      #include <string.h>
      #include <unistd.h>

      static void handle(int signal) { _exit(86); }

      __attribute__((constructor)) static void take(void) {
        struct sigaction action;
        memset(&action, 0, sizeof action);
        action.sa_handler = handle;
        sigaction(SIGSEGV, &action, 0);
      }
      """;

  @TempDir private Path directory;

  /** Does something and says which handlers have changed; then compiled code meets null. */
  private static void report(Runnable use) {
    int sum = 0;
    for (int i = 0; i < 1_000_000; i++) {
      sum += length("text"); // compiled, without a null in its profile
    }
    SignalHandlers handlers = SignalHandlers.save();
    use.run();
    System.out.println("changed " + handlers.changed());
    int caught = 0;
    for (int i = 0; i < 1_000_000; i++) {
      try {
        sum += length(i % 100 == 0 ? null : "text");
      } catch (NullPointerException e) {
        caught++;
      }
    }
    System.out.println("caught " + caught + " " + (sum > 0));
  }

  private static int length(String text) {
    return text.length();
  }

  /** Loads a library that takes a handler. */
  public static final class Loader {
    private Loader() {}

    /** With the library's paths. */
    public static void main(String[] arguments) {
      report(() -> List.of(arguments).forEach(path -> say(() -> FabricLibrary.load(path))));
    }
  }

  private static void say(Runnable use) {
    try {
      use.run();
      System.out.println("went well");
    } catch (BackendException e) {
      System.out.println(e.getMessage());
    }
  }

  /** Opens a NIC, and memory to others, and closes both. */
  public static final class Opener {
    private Opener() {}

    /** With the provider. */
    public static void main(String[] arguments) {
      reportOf(arguments[0]);
    }

    static void reportOf(String provider) {
      LibfabricBackend backend = LibfabricBackend.builder().provider(provider).build();
      report(() -> {
        Domain domain =
            backend.open(backend.nics(1).getFirst(), context()).toCompletableFuture().join();
        open(domain);
        domain.close();
      });
    }
  }

  /** The same, and then of a library that takes a handler when it opens the first endpoint. */
  public static final class TakenByAnEndpoint {
    private TakenByAnEndpoint() {}

    /** With the path of what takes it, and the provider of which the same is done before. */
    @SuppressWarnings("restricted") // a constructor of the library is what takes it
    public static void main(String[] arguments) {
      if (arguments.length > 1) {
        Opener.reportOf(arguments[1]);
      }
      LibFabric real = new TapLibFabric().lib();
      LibFabric taking =
          (LibFabric)
              Proxy.newProxyInstance(
                  LibFabric.class.getClassLoader(),
                  new Class<?>[] {LibFabric.class},
                  (proxy, method, of) -> {
                    if (method.getName().equals("fi_endpoint")) {
                      System.load(arguments[0]);
                    }
                    return method.invoke(real, of);
                  });
      try (Arena arena = Arena.ofShared()) {
        FiInfo info = TapLibFabric.info(arena);
        ProviderChoice choice =
            new ProviderChoice(Provider.of(info.provider()), List.of(info), List.of());
        report(() -> {
          Domain domain =
              LibfabricDomain.open(new FabricLibrary("tap", taking), choice, info, context());
          open(domain);
          domain.close();
        });
      }
    }
  }

  private static OpenContext context() {
    return InstalledLibrary.context(1, Duration.ofSeconds(5));
  }

  /** As when a NIC of another process asks where it may write. */
  private static void open(Domain domain) {
    try (Arena arena = Arena.ofShared()) {
      HostMemory bytes = new HostMemory(arena.allocate(100));
      LocalMemory memory = domain.register(bytes, Access.REMOTE_WRITE).toCompletableFuture().join();
      String provider = FabricAddress.decode(domain.address()).provider();
      byte[] address = new FabricAddress(provider, 2).encode();
      RemotePeer peer = domain.resolve(new EngineId(2, 2), 0, address);
      domain.fromPeer(peer, Asks.ask(1, Token.decode(memory.key())));
      Recorder sink = new Recorder();
      domain.poll(sink);
      assertThat(sink.said())
          .singleElement()
          .satisfies(said -> assertThat(said[0]).isEqualTo(Asks.GRANT));
      domain.deregister(memory).toCompletableFuture().join();
    }
  }

  /** And again under whatever name. */
  @Test
  void aLibraryThatTakesOneIsRefusedAndTheHandlerIsBack() throws IOException, InterruptedException {
    Path thief = CCompiler.library(directory, "thief", THIEF);
    Path link = Files.createSymbolicLink(directory.resolve("link.so"), thief);
    List<String> lines = run(Loader.class, thief.toString(), thief.toString(), link.toString());
    assertThat(lines).hasSize(5);
    assertThat(lines.getFirst())
        .startsWith(thief + " took the JVM's handlers of SIGSEGV when it was loaded")
        .contains("they were put back", "it is not used");
    assertThat(lines.subList(0, 3))
        .allMatch(line -> line.contains("the JVM's handlers of SIGSEGV"));
    assertThat(lines.subList(3, 5)).containsExactly("changed []", "caught 10000 true");
  }

  /** As provider shm of 2.x takes one. Without libfabric, half of this is skipped, visibly. */
  @Test
  void oneThatAnEndpointTakesIsBackWhenTheNicIsOpenAndTcpTakesNone()
      throws IOException, InterruptedException {
    String thief = CCompiler.library(directory, "thief", THIEF).toString();
    LibfabricBackend tcp = LibfabricBackend.builder().provider("tcp").build();
    if (tcp.availability() instanceof Availability.Available) {
      assertThat(run(TakenByAnEndpoint.class, thief, "tcp"))
          .containsExactly("changed []", "caught 10000 true", "changed []", "caught 10000 true");
    } else {
      assertThat(run(TakenByAnEndpoint.class, thief))
          .containsExactly("changed []", "caught 10000 true");
      InstalledLibrary.with("tcp");
    }
  }

  @Test
  void openingANicOverShmChangesNone() throws IOException, InterruptedException {
    String library = InstalledLibrary.with("tcp").library();
    int version = FabricLibrary.load(library).lib().fi_version();
    assumeTrue(version >= V2_0, "the provider shm is used from libfabric 2.0 on only");
    assertThat(run(Opener.class, "shm")).containsExactly("changed []", "caught 10000 true");
  }

  private List<String> run(Class<?> main, String... arguments)
      throws IOException, InterruptedException {
    List<String> command =
        new ArrayList<>(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "--enable-native-access=ALL-UNNAMED",
                "-XX:TieredStopAtLevel=1", // C2 checks for null where there were some before
                "-XX:+UseSerialGC",
                "-XX:-CreateCoredumpOnCrash"));
    String library = System.getProperty("reactivetransfer.libfabric.library");
    if (library != null) {
      command.add("-Dreactivetransfer.libfabric.library=" + library);
    }
    command.addAll(List.of("-cp", System.getProperty("java.class.path"), main.getName()));
    command.addAll(List.of(arguments));
    Process jvm =
        new ProcessBuilder(command)
            .directory(directory.toFile())
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    String output = new String(jvm.getInputStream().readAllBytes(), UTF_8);
    assertThat(jvm.waitFor()).as(output).isZero();
    return output.lines().toList();
  }
}
