package io.reactivetransfer.jfr;

import static io.reactivetransfer.jfr.Recordings.PREFIX;
import static io.reactivetransfer.jfr.Recordings.byTheFile;
import static io.reactivetransfer.jfr.Recordings.events;
import static io.reactivetransfer.jfr.Recordings.registered;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivetransfer.EngineOptions;
import io.reactivetransfer.EngineRecorder;
import io.reactivetransfer.Imm;
import io.reactivetransfer.MemoryRegion;
import io.reactivetransfer.RemoteRegion;
import io.reactivetransfer.TransferEngine;
import io.reactivetransfer.TransferException;
import io.reactivetransfer.WriteImm;
import io.reactivetransfer.engine.TransferEngineBuilder;
import io.reactivetransfer.loopback.LoopbackBackend;
import io.reactivetransfer.loopback.LoopbackNetwork;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.text.ParseException;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import reactor.core.publisher.Flux;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;

class EngineEventsTest {

  private static final Duration PATIENCE = Duration.ofSeconds(20);
  private static final Path DOCUMENT = Path.of("..", "..", "docs", "observability.md");

  private final LoopbackBackend backend =
      LoopbackBackend.builder().network(new LoopbackNetwork()).build();

  @TempDir private Path folder;

  private TransferEngine open(EngineRecorder recorder) {
    return open(recorder, Schedulers.parallel());
  }

  private TransferEngine open(EngineRecorder recorder, Scheduler signals) {
    return Objects.requireNonNull(
        TransferEngineBuilder.create()
            .backend(backend)
            .options(EngineOptions.builder().recorder(recorder).signalScheduler(signals).build())
            .open()
            .block(PATIENCE));
  }

  /** Three writes of 64 bytes; then the target closes, and a fourth cannot be made. */
  private TransferEngine lifeOf(EngineRecorder recorder) {
    TransferEngine origin = open(recorder);
    TransferEngine target = open(EngineRecorder.NONE);
    try (Arena arena = Arena.ofShared()) {
      MemoryRegion from = Objects.requireNonNull(origin.register(arena.allocate(64)).block());
      MemoryRegion to = Objects.requireNonNull(target.register(arena.allocate(64)).block());
      RemoteRegion remote = origin.remote(to.descriptor());
      WriteImm write = WriteImm.of(from.whole(), remote.whole(), Imm.of(1));
      origin.submit(Flux.range(0, 3).map(_ -> write)).then().block(PATIENCE);
      target.close().block(PATIENCE);
      assertThatThrownBy(() -> origin.submit(write).block(PATIENCE))
          .isInstanceOf(TransferException.class);
      origin.close().block(PATIENCE);
    }
    return origin;
  }

  @Test
  void theLifeOfAnEngineIsRecorded() throws IOException, ParseException {
    List<RecordedEvent> events;
    String engine;
    try (Recording recording = byTheFile()) {
      recording.start();
      engine = lifeOf(EngineEvents.recorder()).id().toShortString();
      events = events(recording, folder);
    }
    assertThat(events).extracting(event -> event.getString("engine")).containsOnly(engine);
    assertThat(events)
        .extracting(event -> event.getEventType().getName().substring(PREFIX.length()))
        .startsWith("EngineOpened")
        .contains("PeerFound", "StreamEnded", "PeerLost")
        .endsWith("EngineClosed");
    RecordedEvent stream = first(events, "StreamEnded");
    assertThat(stream.getLong("transfers")).isEqualTo(3);
    assertThat(stream.getLong("bytes")).isEqualTo(192);
    assertThat(stream.getLong("transfersNotDone")).isZero();
    assertThat(stream.getDuration("took")).isPositive();
    assertThat(stream.getString("failure")).isEmpty();
    RecordedEvent lost = first(events, "PeerLost");
    assertThat(lost.getString("reason")).isNotEmpty();
    assertThat(lost.getString("address")).isNotEmpty();
    assertThat(first(events, "EngineOpened").getString("backend")).isEqualTo("loopback");
    assertThat(first(events, "EngineClosed").getString("reason")).isEmpty();
  }

  /** What subscribes to a write is signalled on the NIC's thread, and holds it up. */
  @Test
  void aStallIsRecordedAndHowLongItWas() throws IOException, ParseException {
    List<RecordedEvent> events;
    try (Recording recording = byTheFile();
        Arena arena = Arena.ofShared()) {
      recording.start();
      TransferEngine origin = open(EngineEvents.recorder(), Schedulers.immediate());
      TransferEngine target = open(EngineRecorder.NONE);
      MemoryRegion from = Objects.requireNonNull(origin.register(arena.allocate(64)).block());
      MemoryRegion to = Objects.requireNonNull(target.register(arena.allocate(64)).block());
      RemoteRegion remote = origin.remote(to.descriptor());
      origin
          .submit(WriteImm.of(from.whole(), remote.whole(), Imm.of(1)))
          .doOnNext(_ -> spin(Duration.ofMillis(50)))
          .block(PATIENCE);
      origin.close().block(PATIENCE);
      target.close().block(PATIENCE);
      events = events(recording, folder);
    }
    assertThat(events)
        .filteredOn(event -> event.getEventType().getName().equals(PREFIX + "NicThreadStalled"))
        .anySatisfy(stall ->
            assertThat(stall.getDuration("took")).isGreaterThanOrEqualTo(Duration.ofMillis(50)));
  }

  private static void spin(Duration time) {
    long until = System.nanoTime() + time.toNanos();
    long now;
    do {
      now = System.nanoTime();
    } while (now - until < 0);
  }

  private static RecordedEvent first(List<RecordedEvent> events, String name) {
    return events.stream()
        .filter(event -> event.getEventType().getName().equals(PREFIX + name))
        .findFirst()
        .orElseThrow(() -> new AssertionError("expected an event " + name + ", got " + events));
  }

  @Test
  void nothingIsRecordedUnlessItIsAskedFor() throws IOException {
    try (Recording recording = new Recording()) {
      recording.start();
      lifeOf(EngineEvents.recorder());
      assertThat(events(recording, folder)).isEmpty();
    }
  }

  @Test
  void theNextRecorderIsToldOfAll() {
    Told told = new Told();
    lifeOf(EngineEvents.recorder().andThen(told));
    assertThat(told.names).startsWith("opened").contains("peerFound", "streamEnded", "peerLost");
    assertThat(told.names).endsWith("closed");
  }

  /** What is told for each stream must cost nothing while nobody records. */
  @Test
  void nothingIsAllocatedWhileNobodyRecords() {
    EngineEvents events = EngineEvents.recorder();
    var threads = (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
    long me = Thread.currentThread().threadId();
    tellOfStreams(events, 100);
    long before = threads.getThreadAllocatedBytes(me);
    tellOfStreams(events, 10_000);
    assertThat(threads.getThreadAllocatedBytes(me) - before)
        .as("bytes for 10,000 streams")
        .isLessThan(10_000);
  }

  private static void tellOfStreams(EngineEvents events, int count) {
    for (int i = 0; i < count; i++) {
      events.streamEnded(Ended.ENGINE, Ended.STREAM);
    }
  }

  /** An event without a line in the file or in the document is one that nobody finds. */
  @Test
  void theFileAndTheDocumentHaveEachEventAndNoOther() throws IOException, ParseException {
    Set<String> registered = registered().keySet();
    TreeSet<String> inFile = new TreeSet<>();
    try (Recording recording = byTheFile()) {
      recording.getSettings().keySet().forEach(key -> inFile.add(key.replaceAll("#.*", "")));
    }
    TreeSet<String> inDocument = new TreeSet<>();
    for (String line : Files.readAllLines(DOCUMENT)) {
      if (line.startsWith("| `" + PREFIX)) {
        inDocument.add(line.substring(3, line.indexOf('`', 3)));
      }
    }
    assertThat(registered).hasSize(12);
    assertThat(inFile).isEqualTo(registered);
    assertThat(inDocument).isEqualTo(registered);
  }
}
