package io.reactivetransfer.tck.process;

import io.reactivetransfer.EngineOptions;
import io.reactivetransfer.IdleStrategy;
import io.reactivetransfer.Imm;
import io.reactivetransfer.ImmCounter;
import io.reactivetransfer.MemoryRegion;
import io.reactivetransfer.Peer;
import io.reactivetransfer.PeerAddress;
import io.reactivetransfer.PeerState;
import io.reactivetransfer.RegionDescriptor;
import io.reactivetransfer.RemoteRegion;
import io.reactivetransfer.TransferEngine;
import io.reactivetransfer.WriteImm;
import io.reactivetransfer.engine.TransferEngineBuilder;
import io.reactivetransfer.spi.Backend;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.reflect.Constructor;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Base64;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/**
 * One engine in a process of its own, which does what the lines on its stdin say, each in a thread
 * of its own: a number, a word, arguments. Each is answered by a line with its number, {@code ok}
 * or the class of an exception, and the rest. Ends when its stdin does, so with its parent, which
 * is an {@link EngineProcess}. The words:
 *
 * <ul>
 *   <li>{@code memory NAME BYTES}: registers zeros, between guards; answers with the descriptor
 *   <li>{@code revoke NAME}, {@code revoke-and-fill NAME VALUE}: answers with the new descriptor
 *   <li>{@code values NAME}: the values that bytes of the memory have; an error if a guard was
 *       overwritten
 *   <li>{@code count IMM WRITES [within MILLIS] [from ADDRESS]}: waits for that many arrivals
 *   <li>{@code write DESCRIPTOR IMM COUNT BYTES VALUE}: writes bytes of this value so many times
 *   <li>{@code send ADDRESS COUNT}, {@code receive COUNT}: messages, which are numbers
 *   <li>{@code watch ADDRESS}, {@code states ADDRESS}: the states of a peer from the first on
 *   <li>{@code await ADDRESS STATE}: waits until the peer is in it
 *   <li>{@code renew MILLIS}, of an engine that is only on a backend: closes it, forgets its memory
 *       and its peers, opens another one with this liveness deadline, and answers with its address
 * </ul>
 *
 * <pre>{@code
 * final class MyProgram {
 *   public static void main(String[] args) throws IOException {
 *     new EngineProgram(openEngine(args)).serve();
 *   }
 * }
 * }</pre>
 */
public final class EngineProgram {

  /** A word that the program understands. */
  @FunctionalInterface
  public interface Command {

    /**
     * Does it; what it throws is the answer, too.
     *
     * @param arguments the words behind it
     * @return the answer, in one line
     */
    String run(Iterator<String> arguments);
  }

  /**
   * For engines of tests: spins for a few turns only, because on a machine with few processors who
   * spins has the one that its parent needs.
   */
  public static final IdleStrategy IDLE = IdleStrategy.backOff().withSpins(20);

  /** How far what is registered stands apart from what is not, and must stay untouched. */
  private static final int GUARD_BYTES = 4_096;

  private static final byte GUARD = 0x5a;

  /** System property of a program that runs for its {@link ClassCache}. */
  static final String REHEARSES = "reactivetransfer.tck.rehearses";

  /** The most that a step of that takes. */
  private static final Duration REHEARSAL = Duration.ofSeconds(5);

  /** How long an engine waits for its NICs when it closes. */
  private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(1);

  /** The most that closing an engine takes of which another one takes the place. */
  private static final Duration CLOSING = Duration.ofSeconds(5);

  private record Room(MemorySegment all, MemoryRegion region) {

    MemorySegment content() {
      return all.asSlice(GUARD_BYTES, all.byteSize() - 2 * GUARD_BYTES);
    }
  }

  private final PrintStream out = System.out;
  private final Map<String, Room> rooms = new ConcurrentHashMap<>();
  private final Map<String, Watched> watched = new ConcurrentHashMap<>();
  private final Map<String, Command> commands = new HashMap<>();

  /** How many words have been read and not answered. */
  private int underWay;

  /** Another one from time to time, see {@link #renew}. */
  private volatile TransferEngine engine;

  /** For this engine, which ends with the process. */
  public EngineProgram(TransferEngine engine) {
    this.engine = engine;
    commands.put("memory", in -> memory(in.next(), integer(in)));
    commands.put("revoke", in -> revoke(room(in)));
    commands.put(
        "revoke-and-fill",
        in -> {
          Room room = room(in);
          String descriptor = revoke(room);
          room.content().fill((byte) integer(in));
          return descriptor;
        });
    commands.put("values", in -> values(room(in)));
    commands.put("count", this::count);
    commands.put("watch", in -> watch(in.next()));
    commands.put("states", in -> states(in.next()));
    commands.put("await", in -> await(in.next(), in.next()));
    commands.put("write", this::write);
    commands.put("send", in -> send(peer(in), integer(in)));
    commands.put("receive", in -> receive(integer(in)));
  }

  /**
   * Serves an engine on a backend: the class of what gives it, the milliseconds of the liveness
   * deadline, and for a {@link ProcessBackend} perhaps the host and port that it is to be at.
   */
  public static void main(String[] args) throws IOException, ReflectiveOperationException {
    EngineProgram program = new EngineProgram(engineOf(args, args[1]));
    if (Boolean.getBoolean(REHEARSES)) {
      program.rehearseWith(backendOf(Class.forName(args[0])), options(args[1]));
    }
    program.with("renew", in -> program.renew(args, in.next()));
    program.serve();
  }

  /**
   * Does with another engine what tests have this one do, so that the {@link ClassCache} has the
   * classes for it. What fails here fails in the tests, too, which say so; and a backend may have
   * one engine in a process only.
   */
  private void rehearseWith(Backend backend, EngineOptions options) {
    try {
      EngineProgram other =
          new EngineProgram(
              result(TransferEngineBuilder.create().backend(backend).options(options).open()));
      List<EngineProgram> both = List.of(this, other);
      both.forEach(each -> each.rehearse("memory m 8192"));
      for (EngineProgram origin : both) {
        EngineProgram target = origin == this ? other : this;
        String there = target.engine.address().toText();
        String memory = text(target.room("m").region().descriptor());
        origin.rehearse("watch " + there);
        origin.rehearse("write " + memory + " 1 4 4096 7");
        target.rehearse("count 1 4 within 10000");
        origin.rehearse("await " + there + " Alive");
        origin.rehearse("states " + there);
        target.rehearse("values m");
        origin.rehearse("send " + there + " 1");
        target.rehearse("receive 1");
      }
      both.forEach(each -> each.rehearse("revoke m"));
      rehearse("write " + text(other.room("m").region().descriptor()) + " 2 1 64 7");
      result(other.engine.close().thenReturn("closed").timeout(REHEARSAL));
    } catch (RuntimeException e) {
      print("rehearsed no more: " + e);
    }
  }

  private void rehearse(String line) {
    List<String> words = List.of(line.split(" "));
    result(
        Mono.fromCallable(() -> answer(words.getFirst(), words.listIterator(1)))
            .subscribeOn(Schedulers.boundedElastic())
            .timeout(REHEARSAL));
  }

  private static TransferEngine engineOf(String[] args, String livenessMillis)
      throws ClassNotFoundException {
    EngineOptions options = options(livenessMillis);
    return result(TransferEngineBuilder.create().backend(backend(args)).options(options).open());
  }

  private static EngineOptions options(String livenessMillis) {
    return EngineOptions.builder()
        .livenessDeadline(Duration.ofMillis(Long.parseLong(livenessMillis)))
        .minPieceBytes(4_096)
        .closeTimeout(CLOSE_TIMEOUT)
        .idle(IDLE)
        .build();
  }

  /** Closes the engine, which ends what waits for it, and goes on with another one. */
  private String renew(String[] args, String livenessMillis) {
    result(engine.close().thenReturn("closed").timeout(CLOSING));
    awaitOtherWords(); // one that begins late must not have the next engine do what it says
    rooms.clear();
    watched.clear();
    try {
      engine = engineOf(args, livenessMillis);
    } catch (ClassNotFoundException e) {
      throw new IllegalStateException(e);
    }
    return engine.address().toText();
  }

  /** Those of an engine that has been closed, so none of them waits for anything. */
  private synchronized void awaitOtherWords() {
    long end = System.nanoTime() + CLOSING.toNanos();
    try {
      while (underWay > 1) {
        long left = end - System.nanoTime();
        if (left <= 0) {
          throw new IllegalStateException("expected an answer to each word before, got none");
        }
        TimeUnit.NANOSECONDS.timedWait(this, left);
      }
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private synchronized void begun() {
    underWay++;
  }

  private synchronized void answered() {
    underWay--;
    notifyAll();
  }

  private static Backend backend(String[] args) throws ClassNotFoundException {
    Class<?> supplier = Class.forName(args[0]);
    return args.length < 4
        ? backendOf(supplier)
        : ((ProcessBackend) made(supplier)).at(args[2], Integer.parseInt(args[3]));
  }

  /**
   * What a class gives that has a constructor without arguments, public or not; as each process of
   * a test gets its backend.
   */
  public static Backend backendOf(Class<?> supplier) {
    return (Backend) ((Supplier<?>) made(supplier)).get();
  }

  private static Object made(Class<?> supplier) {
    try {
      Constructor<?> constructor = supplier.getDeclaredConstructor();
      constructor.setAccessible(true);
      return constructor.newInstance();
    } catch (ReflectiveOperationException e) {
      throw new IllegalArgumentException(
          "expected a class with a constructor without arguments, got " + supplier, e);
    }
  }

  /** Adds a word of the test's own. */
  public EngineProgram with(String word, Command command) {
    commands.put(word, command);
    return this;
  }

  /**
   * Says the engine's address, then answers until stdin ends, and ends the process.
   *
   * @throws IOException if stdin cannot be read
   */
  public void serve() throws IOException {
    print("0 ok " + engine.address().toText());
    BufferedReader in =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    String line;
    while ((line = in.readLine()) != null) {
      String[] words = line.split(" ");
      begun();
      Thread.ofPlatform().daemon().start(() -> answer(words));
    }
    Runtime.getRuntime().halt(1);
  }

  private void answer(String[] words) {
    Iterator<String> arguments = List.of(words).listIterator(2);
    try {
      print(words[0] + " ok " + answer(words[1], arguments));
    } catch (Throwable e) { // of any kind: who asks is to know of it
      print(words[0] + " " + e.getClass().getSimpleName() + " " + e.getMessage());
    } finally {
      answered();
    }
  }

  private void print(String line) {
    out.println(line.replace('\n', ' '));
    out.flush();
  }

  private String answer(String word, Iterator<String> arguments) {
    Command command = commands.get(word);
    if (command == null) {
      throw new IllegalArgumentException("expected one of " + commands.keySet() + ", got " + word);
    }
    return command.run(arguments);
  }

  /** Name, bytes: registers zeros between guards. */
  private String memory(String name, int bytes) {
    MemorySegment all = Arena.global().allocate(bytes + 2L * GUARD_BYTES);
    all.fill(GUARD);
    MemorySegment content = all.asSlice(GUARD_BYTES, bytes).fill((byte) 0);
    Room room = new Room(all, result(engine.register(content)));
    rooms.put(name, room);
    return text(room.region().descriptor());
  }

  private static String revoke(Room room) {
    room.region().revoke().block();
    return text(room.region().descriptor());
  }

  /** Which values the bytes of a memory have; also checks the guards. */
  private static String values(Room room) {
    MemorySegment all = room.all();
    MemorySegment after = all.asSlice(all.byteSize() - GUARD_BYTES);
    if (!valuesOf(all.asSlice(0, GUARD_BYTES)).equals(valuesOf(after))
        || !valuesOf(after).equals(String.valueOf(GUARD))) {
      throw new IllegalStateException("a guard was overwritten");
    }
    return valuesOf(room.content());
  }

  private static String valuesOf(MemorySegment memory) {
    boolean[] found = new boolean[1 << Byte.SIZE];
    for (byte value : memory.toArray(ValueLayout.JAVA_BYTE)) {
      found[value - Byte.MIN_VALUE] = true;
    }
    return IntStream.range(0, found.length)
        .filter(index -> found[index])
        .mapToObj(index -> String.valueOf(index + Byte.MIN_VALUE))
        .collect(Collectors.joining(","));
  }

  /** Immediate, writes, then {@code within} and milliseconds, {@code from} and an address. */
  private String count(Iterator<String> in) {
    ImmCounter counter = engine.counter(Imm.of(integer(in)));
    int writes = integer(in);
    while (in.hasNext()) {
      counter =
          switch (in.next()) {
            case "within" -> counter.within(Duration.ofMillis(integer(in)));
            case "from" -> counter.boundTo(peer(in));
            default -> throw new IllegalArgumentException("expected within or from");
          };
    }
    counter.next(writes).block();
    return "all " + writes;
  }

  /**
   * A peer whose states are written down.
   *
   * @param seen all so far
   * @param states from the present one on; each is written down before
   */
  private record Watched(List<String> seen, Flux<PeerState> states) {}

  /** Begins to write down what becomes of a peer. */
  private String watch(String address) {
    List<String> seen = new CopyOnWriteArrayList<>();
    Flux<PeerState> states = peer(address).state().doOnNext(state -> seen.add(name(state)));
    watched.put(address, new Watched(seen, states.replay(1).autoConnect(0)));
    return "";
  }

  private String states(String address) {
    Watched known = watched.get(address);
    return known == null ? "not watched" : String.join(",", known.seen());
  }

  private String await(String address, String state) {
    Watched known = watched.get(address);
    Flux<PeerState> states = known == null ? peer(address).state() : known.states();
    return name(result(states.filter(now -> name(now).equals(state)).next()));
  }

  /** Descriptor, immediate, how many writes, of how many bytes, of which value. */
  private String write(Iterator<String> in) {
    RemoteRegion target = engine.remote(descriptor(in.next()));
    Imm imm = Imm.of(integer(in));
    int count = integer(in);
    int bytes = integer(in);
    MemorySegment content = Arena.global().allocate(bytes).fill((byte) integer(in));
    MemoryRegion source = result(engine.register(content));
    WriteImm write = WriteImm.of(source.whole(), target.slice(0, bytes), imm);
    Flux<WriteImm> writes = Flux.just(write).repeat(count - 1L);
    return result(engine.submit(writes).count()) + " written";
  }

  /** Address, how many: sends the numbers from 0 on. */
  private String send(Peer to, int count) {
    Flux.range(0, count).concatMap(number -> engine.send(to, bytes(number))).blockLast();
    return "sent";
  }

  /** Takes so many messages, and tells the numbers in them. */
  private String receive(int count) {
    return result(
        engine
            .messages()
            .take(count)
            .map(message -> String.valueOf(message.bytes().getInt()))
            .collect(Collectors.joining(",")));
  }

  /** The message that is a number. */
  public static ByteBuffer bytes(int number) {
    return ByteBuffer.allocate(Integer.BYTES).putInt(number).flip();
  }

  private static <T> T result(Mono<T> mono) {
    return Objects.requireNonNull(mono.block(), "it was empty");
  }

  private Room room(Iterator<String> in) {
    return room(in.next());
  }

  private Room room(String name) {
    return Objects.requireNonNull(rooms.get(name), () -> "no memory " + name);
  }

  /** The memory whose name is the next word, which {@code memory} has registered. */
  public MemorySegment memory(Iterator<String> in) {
    return room(in).content();
  }

  /** The peer whose address is the next word. */
  public Peer peer(Iterator<String> in) {
    return peer(in.next());
  }

  private Peer peer(String address) {
    return engine.peer(PeerAddress.fromText(address));
  }

  /** The next word as a number. */
  public static int integer(Iterator<String> in) {
    return Integer.parseInt(in.next());
  }

  private static String name(PeerState state) {
    return state.getClass().getSimpleName();
  }

  /** A descriptor as one word. */
  public static String text(RegionDescriptor descriptor) {
    return Base64.getUrlEncoder().encodeToString(descriptor.toBytes());
  }

  /** What {@link #text} made. */
  public static RegionDescriptor descriptor(String text) {
    return RegionDescriptor.fromBytes(Base64.getUrlDecoder().decode(text));
  }
}
