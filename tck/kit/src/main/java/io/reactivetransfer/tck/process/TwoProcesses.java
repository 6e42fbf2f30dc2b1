package io.reactivetransfer.tck.process;

import io.reactivetransfer.CompletionLevel;
import io.reactivetransfer.EngineId;
import io.reactivetransfer.Nic;
import io.reactivetransfer.spi.Backend;
import io.reactivetransfer.spi.BackendException;
import io.reactivetransfer.spi.Capabilities;
import io.reactivetransfer.spi.Domain;
import io.reactivetransfer.spi.OpenContext;
import io.reactivetransfer.spi.WorkerLoop;
import io.reactivetransfer.tck.ForwardingBackend;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.ProcessBuilder.Redirect;
import java.lang.foreign.SegmentAllocator;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A backend whose NICs are those of another one: of every second engine in this process, and of the
 * others in a second process, which is started for it. So each write and each message of the
 * conformance kit crosses the border between two processes.
 *
 * <pre>{@code
 * class MyTwoProcessesConformanceTest extends TransferConformance {
 *   static final class Mine implements Supplier<Backend> {
 *     @Override
 *     public Backend get() {
 *       return new MyNicBackend();
 *     }
 *   }
 *
 *   private static final TwoProcesses BOTH = new TwoProcesses(Mine.class);
 *
 *   @AfterAll
 *   static void end() {
 *     BOTH.close();
 *   }
 *
 *   @Override
 *   protected Backend backend() {
 *     return BOTH;
 *   }
 *
 *   @Override
 *   protected SegmentAllocator memory(Arena arena) {
 *     return BOTH.memory();
 *   }
 * }
 * }</pre>
 *
 * <p>What is written must lie in {@link #memory()}, which both processes see; the NICs of the
 * second process see other memory as it was when it was registered. They take each write and a few
 * messages at once and try again themselves what is refused, so what the kit finds out of refusals
 * concerns the NICs in this process only.
 */
public final class TwoProcesses extends ForwardingBackend implements AutoCloseable {

  private final Class<? extends Supplier<Backend>> supplier;
  private final Backend inner;
  private final Path file;
  private final SharedMemory memory;
  private final Map<EngineId, Boolean> elsewhere = new HashMap<>();
  private final boolean[] used = new boolean[SharedMemory.MAX_NICS];
  private final Map<Integer, CompletableFuture<String>> opening = new ConcurrentHashMap<>();
  private boolean nextElsewhere;
  private @Nullable Process process;
  private @Nullable Thread reader;

  /**
   * Of the backend that this class gives, in both processes.
   *
   * @param supplier has a constructor without arguments
   */
  public TwoProcesses(Class<? extends Supplier<Backend>> supplier) {
    this(supplier, EngineProgram.backendOf(supplier));
  }

  private TwoProcesses(Class<? extends Supplier<Backend>> supplier, Backend inner) {
    super(inner, (domain, context) -> domain);
    this.supplier = supplier;
    this.inner = inner;
    try {
      file = SharedMemory.createFile();
      memory = SharedMemory.map(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Gives memory that both processes see, for the next 100 MiB or so that are asked for. */
  public SegmentAllocator memory() {
    return memory;
  }

  /** None for the engines whose NICs are elsewhere; of a backend without loops, for none. */
  @Override
  public synchronized @Nullable WorkerLoop newLoop() {
    nextElsewhere = !nextElsewhere;
    return nextElsewhere ? null : super.newLoop();
  }

  private synchronized boolean isElsewhere(OpenContext context) {
    return context.loop() == null
        && elsewhere.computeIfAbsent(context.engine(), engine -> nextElsewhere);
  }

  @Override
  public CompletionStage<Domain> open(Nic nic, OpenContext context) {
    if (!isElsewhere(context)) {
      return super.open(nic, context);
    }
    CompletableFuture<Domain> opened = new CompletableFuture<>();
    Thread.ofPlatform()
        .daemon()
        .name("two-processes-open")
        .start(() -> {
          try {
            opened.complete(openElsewhere(nic, context));
          } catch (RuntimeException e) {
            opened.completeExceptionally(e);
          }
        });
    return opened;
  }

  private Domain openElsewhere(Nic nic, OpenContext context) {
    int index = take();
    try {
      return openElsewhere(index, nic, context);
    } catch (RuntimeException e) {
      giveBack(index);
      throw e;
    }
  }

  private Domain openElsewhere(int index, Nic nic, OpenContext context) {
    memory.requests(index).clear();
    memory.reports(index).clear();
    CompletableFuture<String> answer = new CompletableFuture<>();
    Process other =
        ask(index, answer, NicProcess.line(index, indexOf(nic), countWith(nic), context));
    CompletableFuture<Process> gone = other.onExit(); // to ask the process itself takes a lock
    String[] words = answer.join().split(" ", -1);
    if (words[1].equals(NicProcess.NOT_OPENED)) {
      throw new BackendException(0, "in the process of the NICs: " + String.join(" ", words));
    }
    Capabilities capabilities =
        Capabilities.builder(Long.parseLong(words[2]), Integer.parseInt(words[3]))
            .completion(CompletionLevel.valueOf(words[1]))
            .fencesLostPeers(Boolean.parseBoolean(words[4]))
            .maxRows(Integer.parseInt(words[5]))
            .maxGather(Math.min(Integer.parseInt(words[6]), ProxyDomain.MAX_GATHER))
            .build();
    return new ProxyDomain(
        memory,
        index,
        capabilities,
        Base64.getDecoder().decode(words[7]),
        () -> !gone.isDone(),
        () -> giveBack(index));
  }

  private int countWith(Nic nic) {
    for (int count = 1; count <= 8; count++) {
      if (inner.nics(count).stream().anyMatch(each -> each.name().equals(nic.name()))) {
        return count;
      }
    }
    throw new BackendException(0, "expected one of the listed NICs, got " + nic.name());
  }

  private int indexOf(Nic nic) {
    List<String> names = inner.nics(countWith(nic)).stream().map(Nic::name).toList();
    return names.indexOf(nic.name());
  }

  private synchronized int take() {
    for (int i = 0; i < used.length; i++) {
      if (!used[i]) {
        used[i] = true;
        return i;
      }
    }
    throw new BackendException(0, "expected at most " + used.length + " NICs at a time");
  }

  private synchronized void giveBack(int index) {
    used[index] = false;
  }

  /**
   * If the process is gone there is another one from now on: those whose NICs it had will say so,
   * and those that come later have nothing to do with it.
   */
  private synchronized Process ask(int index, CompletableFuture<String> answer, String line) {
    Process other = process;
    try {
      if (other == null || !other.isAlive()) {
        awaitEndOfReader();
        other = start();
        process = other;
      }
      opening.put(index, answer);
      other.outputWriter(StandardCharsets.UTF_8).append(line).append('\n').flush();
      return other;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** It fails all that is being opened, which is to be none of the next process. */
  private void awaitEndOfReader() {
    Thread last = reader;
    if (last != null) {
      try {
        last.join();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new BackendException(0, "interrupted");
      }
    }
  }

  private Process start() throws IOException {
    Process started =
        JavaProcess.command(
                List.of("-XX:+UseSerialGC", "-Xmx256m"),
                NicProcess.class.getName(),
                supplier.getName(),
                file.toString())
            .redirectError(Redirect.INHERIT)
            .start();
    reader = Thread.ofPlatform().daemon().name("two-processes-read").start(() -> read(started));
    return started;
  }

  private void read(Process from) {
    try (BufferedReader lines = from.inputReader(StandardCharsets.UTF_8)) {
      String line;
      while ((line = lines.readLine()) != null) {
        CompletableFuture<String> answer =
            opening.remove(Integer.parseInt(line.substring(0, line.indexOf(' '))));
        if (answer != null) {
          answer.complete(line);
        }
      }
    } catch (IOException | UncheckedIOException e) {
      // it is gone, as below
    }
    opening
        .values()
        .forEach(answer ->
            answer.completeExceptionally(
                new BackendException(0, "the process of the NICs is gone: see what it printed")));
  }

  /** Ends the second process. */
  @Override
  public synchronized void close() {
    if (process != null) {
      process.destroyForcibly();
    }
    try {
      Files.deleteIfExists(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
