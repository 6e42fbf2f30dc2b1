package io.reactivetransfer.libfabric.process;

import io.reactivetransfer.EngineOptions;
import io.reactivetransfer.Imm;
import io.reactivetransfer.MemoryRegion;
import io.reactivetransfer.RegionDescriptor;
import io.reactivetransfer.RemoteRegion;
import io.reactivetransfer.TransferEngine;
import io.reactivetransfer.WriteImm;
import io.reactivetransfer.engine.TransferEngineBuilder;
import io.reactivetransfer.libfabric.LibfabricBackend;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Base64;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import reactor.core.publisher.Flux;

/**
 * One engine in a process of its own, which does what the lines on its stdin say, each in a thread
 * of its own: a number, a word, arguments. Each is answered by a line with its number, {@code ok}
 * or the class of an exception, and the rest. Ends when its stdin does, so with its parent.
 */
final class EngineProgram {

  private record Room(MemorySegment memory, MemoryRegion region) {}

  private final PrintStream out = System.out;
  private final Map<String, Room> rooms = new ConcurrentHashMap<>();
  private final TransferEngine engine;

  private EngineProgram(TransferEngine engine) {
    this.engine = engine;
  }

  /** Milliseconds of the liveness deadline. */
  public static void main(String[] args) throws IOException {
    TransferEngine engine =
        TransferEngineBuilder.create()
            .backend(LibfabricBackend.builder().provider("tcp").build())
            .options(
                EngineOptions.builder()
                    .livenessDeadline(Duration.ofMillis(Long.parseLong(args[0])))
                    .build())
            .open()
            .block();
    new EngineProgram(engine).serve();
  }

  private void serve() throws IOException {
    print("0 ok " + engine.address().toText());
    BufferedReader in =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    String line;
    while ((line = in.readLine()) != null) {
      String[] words = line.split(" ");
      Thread.ofPlatform().daemon().start(() -> answer(words));
    }
    Runtime.getRuntime().halt(1);
  }

  private void answer(String[] words) {
    Iterator<String> arguments = List.of(words).listIterator(2);
    try {
      print(words[0] + " ok " + answer(words[1], arguments));
    } catch (RuntimeException e) {
      print(words[0] + " " + e.getClass().getSimpleName() + " " + e.getMessage());
    }
  }

  private void print(String line) {
    out.println(line.replace('\n', ' '));
    out.flush();
  }

  private String answer(String word, Iterator<String> in) {
    return switch (word) {
      case "memory" -> memory(in.next(), integer(in));
      case "revoke-and-fill" -> {
        Room room = rooms.get(in.next());
        room.region().revoke().block();
        room.memory().fill((byte) integer(in));
        yield text(room.region().descriptor());
      }
      case "values" -> values(rooms.get(in.next()).memory());
      case "write" -> write(in);
      default -> throw new IllegalArgumentException("unknown: " + word);
    };
  }

  /** Name, bytes: registers zeros. */
  private String memory(String name, int bytes) {
    MemorySegment memory = Arena.global().allocate(bytes);
    Room room = new Room(memory, engine.register(memory).block());
    rooms.put(name, room);
    return text(room.region().descriptor());
  }

  /** Which values the bytes have. */
  private static String values(MemorySegment memory) {
    TreeSet<Byte> found = new TreeSet<>();
    for (byte value : memory.toArray(ValueLayout.JAVA_BYTE)) {
      found.add(value);
    }
    return found.stream().map(String::valueOf).collect(Collectors.joining(","));
  }

  /** Descriptor, immediate, how many writes, of how many bytes, of which value. */
  private String write(Iterator<String> in) {
    RemoteRegion target = engine.remote(descriptor(in.next()));
    Imm imm = Imm.of(integer(in));
    int count = integer(in);
    int bytes = integer(in);
    MemorySegment content = Arena.global().allocate(bytes).fill((byte) integer(in));
    MemoryRegion source = engine.register(content).block();
    WriteImm write = WriteImm.of(source.whole(), target.slice(0, bytes), imm);
    Flux<WriteImm> writes = Flux.just(write).repeat(count - 1L);
    return engine.submit(writes).count().block() + " written";
  }

  private static int integer(Iterator<String> in) {
    return Integer.parseInt(in.next());
  }

  static String text(RegionDescriptor descriptor) {
    return Base64.getUrlEncoder().encodeToString(descriptor.toBytes());
  }

  static RegionDescriptor descriptor(String text) {
    return RegionDescriptor.fromBytes(Base64.getUrlDecoder().decode(text));
  }
}
