package io.reactivetransfer.libfabric;

import io.reactivetransfer.spi.LocalMemory;
import io.reactivetransfer.spi.Operation;
import io.reactivetransfer.spi.RemoteMemory;
import io.reactivetransfer.tck.driver.Recorder;
import io.reactivetransfer.tck.driver.TwoNics;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * Frees memory that is registered, before writes from it and to it: in a process of its own,
 * because it may not live on. Both NICs are polled by hand, so nothing is freed while one of them
 * is.
 */
final class FreedUnderRegionProgram implements AutoCloseable {

  private static final Duration TIMEOUT = Duration.ofSeconds(5);

  /**
   * Given back to the system when it is freed, as {@link FreedUnderRegionTest} has told malloc: who
   * touches it then is found.
   */
  private static final long BYTES = 4 << 20;

  /** What is injected, what comes in one piece, and what is read straight to its place. */
  private static final int[] LENGTHS = {8, 5_000, 1 << 20};

  private static final String SOURCE_FREED = "the source's memory was freed";
  private static final String TARGET_FREED = "the target's memory was freed";

  private final Arena arena = Arena.ofShared();
  private final TwoNics nics = open();
  private final Recorder atOrigin = nics.atOrigin();
  private final Recorder atTarget = nics.atTarget();
  private final LocalMemory source = nics.source(memory(arena));
  private final LocalMemory sink = nics.openToOrigin(memory(arena));
  private long lastToken;

  private static TwoNics open() {
    LibfabricSettings settings = InstalledLibrary.with("tcp");
    FabricLibrary library = FabricLibrary.load(settings.library());
    ProviderChoice choice = library.choose(settings);
    return TwoNics.open(engine ->
        LibfabricDomain.open(
            library, choice, choice.infos().getFirst(), InstalledLibrary.context(engine, TIMEOUT)));
  }

  /** Ends with 0 if all writes failed that had to, and no others. */
  public static void main(String[] args) {
    for (int length : LENGTHS) {
      try (FreedUnderRegionProgram program = new FreedUnderRegionProgram()) {
        program.freedSource(length);
        program.freedTarget(length);
        program.freedTargetThatWasNeverWritten(length);
        program.freedTargetAmongMany(length);
      }
    }
  }

  @Override
  public void close() {
    if (!nics.close()) {
      throw new AssertionError("expected NICs that can be closed" + all());
    }
    arena.close();
  }

  private void freedSource(int length) {
    Arena shortLived = Arena.ofShared();
    LocalMemory freed = nics.source(memory(shortLived));
    RemoteMemory remote = remote(sink);
    requireWritten(write(freed, remote, length, false));
    shortLived.close();
    requireRefused(write(freed, remote, length, false), SOURCE_FREED);
    requireRefused(write(freed, remote, length, true), SOURCE_FREED);
    goesOn(remote);
    nics.origin().deregister(freed);
  }

  private void freedTarget(int length) {
    RemoteMemory beside = remote(sink);
    requireWritten(write(source, beside, length, false));
    Arena shortLived = Arena.ofShared();
    LocalMemory freed = nics.openToOrigin(memory(shortLived));
    RemoteMemory remote = remote(freed);
    requireWritten(write(source, remote, length, false));
    shortLived.close();
    requireNotWritten(write(source, remote, length, true));
    requireRefused(write(source, remote, length, true), TARGET_FREED);
    goesOn(beside);
    // Closing a region begins with that.
    LocalMemory renamed = TwoNics.join(nics.target().revoke(freed));
    requireRefused(write(source, remote(renamed), length, true), TARGET_FREED);
    nics.target().deregister(renamed);
    goesOn(beside);
  }

  private void freedTargetThatWasNeverWritten(int length) {
    Arena shortLived = Arena.ofShared();
    LocalMemory freed = nics.openToOrigin(memory(shortLived));
    shortLived.close();
    requireRefused(write(source, remote(freed), length, true), TARGET_FREED);
    nics.target().deregister(freed);
  }

  /** Then a NIC does not look at all of them in each poll, but does where it was idle. */
  private void freedTargetAmongMany(int length) {
    List<LocalMemory> others = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      others.add(nics.openToOrigin(arena.allocate(64)));
    }
    RemoteMemory beside = remote(sink);
    Arena shortLived = Arena.ofShared();
    LocalMemory freed = nics.openToOrigin(memory(shortLived));
    RemoteMemory remote = remote(freed);
    requireWritten(write(source, remote, length, false));
    shortLived.close();
    for (int i = 0; i < others.size(); i++) {
      nics.turn();
    }
    requireNotWritten(write(source, remote, length, true));
    goesOn(beside);
    nics.target().deregister(freed);
    others.forEach(nics.target()::deregister);
  }

  private static MemorySegment memory(Arena arena) {
    return arena.allocate(BYTES, 64);
  }

  private RemoteMemory remote(LocalMemory memory) {
    return nics.named(memory, BYTES);
  }

  /** Until it is reported; returns its token. */
  private long write(LocalMemory source, RemoteMemory remote, int length, boolean counted) {
    long token = ++lastToken;
    Operation op = new Operation().between(source, remote).range(BYTES / 2, 0, length).token(token);
    if (counted) {
      op.withImm((int) token);
    }
    nics.until("write " + token + " to be taken over", () -> nics.origin().post(op).isTaken());
    nics.until("a report of write " + token, () -> atOrigin.reportsOf(token) > 0);
    return token;
  }

  private String all() {
    return "; at the origin "
        + atOrigin.reports()
        + atOrigin.texts()
        + ", at the target "
        + atTarget.reports()
        + atTarget.texts();
  }

  private void requireWritten(long token) {
    if (!atOrigin.has("written " + token)) {
      throw new AssertionError("expected write " + token + " to be done" + all());
    }
  }

  private void requireRefused(long token, String why) {
    if (!atOrigin.reports().contains("refused " + token)
        || !atOrigin.texts().getLast().contains(why)
        || atTarget.has("imm " + token)) {
      throw new AssertionError("expected write " + token + " to fail because " + why + all());
    }
  }

  private void requireNotWritten(long token) {
    if (atOrigin.has("written " + token) || atTarget.has("imm " + token)) {
      throw new AssertionError("expected write " + token + " to fail" + all());
    }
  }

  private void goesOn(RemoteMemory remote) {
    requireWritten(write(source, remote, 8, false));
    requireWritten(write(source, remote(sink), 8, true));
    if (atOrigin.has("lost") || atTarget.has("lost")) {
      throw new AssertionError("expected nobody to be lost" + all());
    }
  }
}
