package io.reactivetransfer.engine.origin;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.EngineId;
import io.reactivetransfer.EngineRecorder;
import io.reactivetransfer.engine.TestParts;
import io.reactivetransfer.engine.base.Defects;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** What is counted of a stream costs no memory, and is of no other stream. */
class StreamRecordingTest {

  private final List<EngineRecorder.StreamEnd> ends = new ArrayList<>();
  private boolean listens;

  private final EngineRecorder recorder =
      new EngineRecorder() {
        @Override
        public boolean isToldOfStreams() {
          return listens;
        }

        @Override
        public void streamEnded(EngineId engine, StreamEnd end) {
          ends.add(end);
        }
      };

  private final StreamRecording recording = of(recorder);

  private static StreamRecording of(EngineRecorder recorder) {
    return new StreamRecording(
        new Defects(new EngineId(1, 2), recorder).recording(), new TestParts().timers);
  }

  private void streams(int count) {
    for (int i = 0; i < count; i++) {
      stream(64);
    }
  }

  private void stream(long bytes) {
    StreamCount stream = Objects.requireNonNull(recording.begin());
    recording.posted(stream);
    stream.done(1, bytes);
    recording.end(stream, null, false);
  }

  @Test
  void nothingIsAllocatedForWhoDoesNotListen() {
    var threads = (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
    long me = Thread.currentThread().threadId();
    streams(100);
    long before = threads.getThreadAllocatedBytes(me);
    streams(10_000);
    assertThat(threads.getThreadAllocatedBytes(me) - before)
        .as("bytes for 10,000 streams")
        .isLessThan(10_000);
    assertThat(ends).isEmpty();
  }

  @Test
  void whatWasToldOfAStreamDoesNotChangeWithTheNext() {
    listens = true;
    stream(1);
    stream(2);
    assertThat(ends).extracting(EngineRecorder.StreamEnd::bytes).containsExactly(1L, 2L);
    assertThat(ends).extracting(EngineRecorder.StreamEnd::transfers).containsExactly(1L, 1L);
  }

  @Test
  void thatOneWasPostedIsNotOfTheNext() {
    listens = true;
    stream(1);
    recording.end(Objects.requireNonNull(recording.begin()), null, false);
    assertThat(ends).extracting(EngineRecorder.StreamEnd::isPosted).containsExactly(true, false);
  }

  @Test
  void nothingIsCountedWithoutARecorder() {
    assertThat(of(EngineRecorder.NONE).begin()).isNull();
  }
}
