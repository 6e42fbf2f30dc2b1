package io.reactivetransfer.tcp;

import io.reactivetransfer.EngineId;
import io.reactivetransfer.control.socket.ErrorCode;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * What a NIC must do, told by docs/wire-format.md alone: what it reports to its engine, and in
 * which order, whatever its connections bring.
 */
final class NicModel {

  /** What the engine is told. */
  sealed interface Report {}

  record Arrived(int imm, long bytes) implements Report {}

  record Lost(EngineId peer, int code) implements Report {}

  record Written(long token) implements Report {}

  record Failed(long token, int code) implements Report {}

  /**
   * Memory under one key.
   *
   * @param at where in the ground it begins
   */
  record Region(int at, int length, boolean remote) {}

  /** A key: it ends when the memory is revoked. */
  static final class Grant {
    final Region region;
    boolean open = true;

    Grant(Region region) {
      this.region = region;
    }
  }

  /** A write that is complete, or has failed with a code. */
  private record Write(
      LinkModel link, Grant grant, boolean hasImm, int imm, long bytes, int code) {}

  final EngineId id;
  final Ground ground;
  final List<Report> reports = new ArrayList<>();
  private final Map<MemoryKey, Grant> grants = new HashMap<>();
  private final ArrayDeque<Object> waiting = new ArrayDeque<>();
  private static final int MAX_BROKEN = 64;

  private final Map<EngineId, ArrayDeque<Long>> broken = new HashMap<>();
  private final Map<EngineId, Set<LinkModel>> links = new HashMap<>();
  private final Map<Path.Key, PathModel> paths = new HashMap<>();

  NicModel(EngineId id, Ground ground) {
    this.id = id;
    this.ground = ground;
  }

  void grant(byte[] key, Region region) {
    grants.put(MemoryKey.decode(key), new Grant(region));
  }

  /** Nobody may write under this key any more. */
  void revoke(byte[] key) {
    grants.remove(MemoryKey.decode(key)).open = false;
  }

  /** The memory of this key, or null. */
  Grant find(MemoryKey key) {
    return grants.get(key);
  }

  void written(LinkModel link, Grant grant, boolean hasImm, int imm, long bytes, int code) {
    waiting.add(new Write(link, grant, hasImm, imm, bytes, code));
  }

  void report(Report report) {
    waiting.add(report);
  }

  /** The engine polls until there is nothing. */
  void poll() {
    for (Object next; (next = waiting.poll()) != null; ) {
      switch (next) {
        case Write write when write.code() != 0 -> write.link().settle(write.code());
        case Write write when write.hasImm() && !write.grant().open ->
            write.link().settle(ErrorCode.REVOKED.value);
        case Write write -> {
          if (write.hasImm()) {
            reports.add(new Arrived(write.imm(), write.bytes()));
          }
          write.link().settle(0);
        }
        default -> reports.add((Report) next);
      }
    }
  }

  // The connections.

  /** It has ended otherwise than in good order: the other side is told on all others. */
  void broke(EngineId engine, long number) {
    ArrayDeque<Long> numbers = broken.computeIfAbsent(engine, _ -> new ArrayDeque<>());
    numbers.add(number);
    if (numbers.size() > MAX_BROKEN) {
      numbers.remove();
    }
    of(engine).forEach(link -> link.saidOver(number));
  }

  /** A connection is open; one that it replaces ends. */
  void began(LinkModel link) {
    links.computeIfAbsent(link.engine(), _ -> new LinkedHashSet<>()).add(link);
    broken.getOrDefault(link.engine(), new ArrayDeque<>()).forEach(link::saidOver);
    LinkModel replaced = path(link.engine(), link.nicIndex()).began(link);
    if (replaced != null) {
      replaced.end(ErrorCode.REPLACED.value);
    }
  }

  void ended(LinkModel link) {
    links.getOrDefault(link.engine(), new LinkedHashSet<>()).remove(link);
  }

  /** That engine says that the connection with that number is over. */
  void isOver(EngineId engine, long number) {
    of(engine).stream()
        .filter(link -> link.number() == number)
        .forEach(link -> link.end(ErrorCode.BROKEN.value));
  }

  private List<LinkModel> of(EngineId engine) {
    return List.copyOf(links.getOrDefault(engine, Set.of()));
  }

  PathModel path(EngineId engine, int nic) {
    return paths.computeIfAbsent(
        new Path.Key(engine, nic), _ -> new PathModel(id.compareTo(engine) < 0));
  }

  /** What was reported is what had to be. */
  void check(List<Report> actual) {
    if (!actual.equals(reports)) {
      int same = 0;
      while (same < Math.min(actual.size(), reports.size())
          && actual.get(same).equals(reports.get(same))) {
        same++;
      }
      throw new AssertionError(
          "expected report " + same + " to be " + at(reports, same) + ", got " + at(actual, same));
    }
  }

  private static String at(List<Report> list, int index) {
    return index < list.size() ? list.get(index).toString() : "nothing";
  }
}
