package io.reactivetransfer.jfr;

import static io.reactivetransfer.jfr.Recordings.PREFIX;
import static io.reactivetransfer.jfr.Recordings.byTheFile;
import static io.reactivetransfer.jfr.Recordings.registered;
import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.EngineId;
import io.reactivetransfer.EngineRecorder;
import io.reactivetransfer.HostPort;
import io.reactivetransfer.Nic;
import io.reactivetransfer.Peer;
import io.reactivetransfer.PeerAddress;
import io.reactivetransfer.PeerUnreachableException;
import io.reactivetransfer.TransferEngine;
import io.reactivetransfer.TransferFailedException;
import io.reactivetransfer.TransferRejectedException;
import io.reactivetransfer.engine.TransferEngineBuilder;
import io.reactivetransfer.loopback.LoopbackBackend;
import io.reactivetransfer.loopback.LoopbackNetwork;
import java.io.IOException;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.text.ParseException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import jdk.jfr.EventType;
import jdk.jfr.Recording;
import jdk.jfr.Timespan;
import jdk.jfr.ValueDescriptor;
import jdk.jfr.consumer.RecordedEvent;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is in each event: all that the recorder was told, under the names that are documented. */
class EventFieldsTest {

  private static final Duration PATIENCE = Duration.ofSeconds(20);

  private static final Path DOCUMENT = Path.of("..", "..", "docs", "observability.md");
  private static final Pattern QUOTED = Pattern.compile("`([^`]+)`");

  /** What Flight Recorder adds to each event. */
  private static final Set<String> OF_ALL_EVENTS =
      Set.of("startTime", "duration", "eventThread", "stackTrace");

  private final TransferEngine engine =
      Objects.requireNonNull(
          TransferEngineBuilder.create()
              .backend(LoopbackBackend.builder().network(new LoopbackNetwork()).build())
              .open()
              .block(PATIENCE));

  private final Peer peer =
      engine.peer(
          new PeerAddress(
              "loopback", new EngineId(0x0123456789abcdefL, 1), new HostPort("there", 7)));

  @TempDir private Path folder;

  @AfterEach
  void close() {
    engine.close().block(PATIENCE);
  }

  /** What a recorder is told of this engine, and the event that is to come of it. */
  private record Row(String event, Consumer<EngineEvents> telling, List<String> fields) {}

  private static Row row(String event, Consumer<EngineEvents> telling, String... fields) {
    return new Row(event, telling, List.of(fields));
  }

  private List<Row> rows() {
    EngineId id = engine.id();
    Nic nic = Nic.named("nic3");
    String ofPeer = "peer=01234567";
    String ofAddress = "address=there:7";
    String ofNic = "nic=nic3";
    Throwable nameless = new IllegalStateException("thrown by a test") {};
    Throwable textless =
        new IllegalStateException() {
          @Override
          public String getMessage() {
            throw new IllegalArgumentException("thrown by a test");
          }
        };
    return List.of(
        row("EngineOpened", to -> to.opened(engine), "backend=loopback"),
        row("EngineClosed", to -> to.closed(engine, null), "reason="),
        row(
            "EngineClosed",
            to -> to.closed(engine, new IllegalStateException("broken by a test")),
            "reason=broken by a test"),
        row(
            "EngineClosed",
            to -> to.closed(engine, textless),
            "reason=the text of "
                + textless.getClass().getName()
                + " cannot be had: "
                + IllegalArgumentException.class),
        row("PeerFound", to -> to.peerFound(peer), ofPeer, ofAddress),
        row(
            "PeerLost",
            to -> to.peerLost(peer, new PeerUnreachableException("silent for 5 s")),
            ofPeer,
            ofAddress,
            "reason=silent for 5 s"),
        row(
            "NicFailed",
            to -> to.nicFailed(id, nic, "its cable was pulled"),
            ofNic,
            "reason=its cable was pulled"),
        row(
            "WayLost",
            to -> to.wayLost(peer, nic, "the connection was reset"),
            ofPeer,
            ofAddress,
            ofNic,
            "reason=the connection was reset"),
        row(
            "TransferFailed",
            to -> to.transferFailed(peer, nic, new TransferFailedException("no such key")),
            ofPeer,
            ofAddress,
            ofNic,
            "failure=TransferFailedException",
            "reason=no such key"),
        row(
            "TransferRejected",
            to -> to.transferRejected(id, new TransferRejectedException("a closed region")),
            "failure=TransferRejectedException",
            "reason=a closed region"),
        row(
            "StreamEnded",
            to ->
                to.streamEnded(
                    id,
                    new Ended(
                        3,
                        192,
                        0,
                        Duration.ofNanos(1_234),
                        Duration.ofNanos(34),
                        true,
                        null,
                        false)),
            "transfers=3",
            "bytes=192",
            "transfersNotDone=0",
            "took=" + Duration.ofNanos(1_234),
            "queued=" + Duration.ofNanos(34),
            "isPosted=true",
            "isCancelled=false",
            "failure=",
            "reason="),
        row(
            "StreamEnded",
            to ->
                to.streamEnded(
                    id,
                    new Ended(
                        1, 64, 2, Duration.ofMillis(5), Duration.ofMillis(2), true, null, true)),
            "transfers=1",
            "bytes=64",
            "transfersNotDone=2",
            "took=" + Duration.ofMillis(5),
            "queued=" + Duration.ofMillis(2),
            "isPosted=true",
            "isCancelled=true",
            "failure=",
            "reason="),
        row(
            "StreamEnded",
            to ->
                to.streamEnded(
                    id, new Ended(0, 0, 4, Duration.ZERO, Duration.ZERO, false, nameless, false)),
            "transfers=0",
            "bytes=0",
            "transfersNotDone=4",
            "took=" + Duration.ZERO,
            "queued=" + Duration.ZERO,
            "isPosted=false",
            "isCancelled=false",
            "failure=EventFieldsTest$1",
            "reason=thrown by a test"),
        row("RevocationOverdue", to -> to.revocationOverdue(peer), ofPeer, ofAddress),
        row(
            "NicThreadStalled",
            to -> to.stalled(id, Duration.ofMillis(11)),
            "took=" + Duration.ofMillis(11)),
        row("Defect", to -> to.defect(id, "a frame of kind 99"), "text=a frame of kind 99"));
  }

  @Test
  void eachEventHasWhatTheRecorderWasTold() throws IOException, ParseException {
    List<Row> rows = rows();
    assertThat(rows)
        .as("each event has a row")
        .extracting(row -> PREFIX + row.event())
        .containsAll(registered().keySet());
    List<String> expected = rows.stream().map(this::expected).toList();
    List<RecordedEvent> events;
    try (Recording recording = byTheFile()) {
      recording.start();
      EngineEvents recorder = EngineEvents.recorder();
      rows.forEach(row -> row.telling().accept(recorder));
      events = Recordings.events(recording, folder);
    }
    assertThat(events)
        .filteredOn(event -> engine.id().toShortString().equals(event.getString("engine")))
        .extracting(EventFieldsTest::told)
        .containsExactlyInAnyOrderElementsOf(expected);
  }

  /** One that is added to recorders would be told to nobody who records. */
  @Test
  void thereAreAsManyEventsAsARecorderIsToldOf() {
    assertThat(EngineRecorder.class.getMethods())
        .filteredOn(method -> method.getReturnType() == void.class)
        .hasSameSizeAs(registered().keySet())
        .allSatisfy(method ->
            assertThat(EngineEvents.class.getMethod(method.getName(), method.getParameterTypes()))
                .returns(EngineEvents.class, Method::getDeclaringClass));
  }

  @Test
  void theDocumentHasTheFieldsOfEachEventAndNoOther() throws IOException {
    Map<String, Set<String>> documented = new TreeMap<>();
    for (String line : Files.readAllLines(DOCUMENT)) {
      if (line.startsWith("| `" + PREFIX)) {
        String[] cells = line.split("\\|", -1);
        documented.put(quoted(cells[1]).getFirst(), new TreeSet<>(quoted(cells[2])));
      }
    }
    Map<String, Set<String>> present = new TreeMap<>();
    registered()
        .forEach((name, type) -> {
          Set<String> fields = new TreeSet<>();
          own(type).forEach(field -> fields.add(field.getName()));
          present.put(name, fields);
        });
    assertThat(documented).isEqualTo(present);
  }

  private static List<String> quoted(String cell) {
    return QUOTED.matcher(cell).results().map(each -> each.group(1)).toList();
  }

  private String expected(Row row) {
    Set<String> fields = new TreeSet<>(row.fields());
    fields.add("engine=" + engine.id().toShortString());
    return PREFIX + row.event() + fields;
  }

  private static String told(RecordedEvent event) {
    Set<String> fields = new TreeSet<>();
    for (ValueDescriptor field : own(event.getEventType())) {
      String name = field.getName();
      boolean isTime = field.getAnnotation(Timespan.class) != null;
      Object value = isTime ? event.getDuration(name) : event.getValue(name);
      fields.add(name + "=" + value);
    }
    return event.getEventType().getName() + fields;
  }

  /** Those that the library has given it. */
  private static List<ValueDescriptor> own(EventType type) {
    return type.getFields().stream()
        .filter(field -> !OF_ALL_EVENTS.contains(field.getName()))
        .toList();
  }
}
