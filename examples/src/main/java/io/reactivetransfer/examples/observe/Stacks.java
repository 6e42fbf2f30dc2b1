package io.reactivetransfer.examples.observe;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordedMethod;
import jdk.jfr.consumer.RecordedStackTrace;
import jdk.jfr.consumer.RecordedThread;

/** What threads were at that have computed, by the samples of a recording. */
final class Stacks {

  static final String SAMPLE = "jdk.ExecutionSample";

  private final List<RecordedEvent> samples;

  /** Of all events of a recording. */
  Stacks(List<RecordedEvent> recorded) {
    samples =
        recorded.stream().filter(each -> each.getEventType().getName().equals(SAMPLE)).toList();
  }

  /** Where the thread of an event that took some time was within that time; or nothing. */
  String during(RecordedEvent event) {
    return samples.stream()
        .filter(sample -> isDuring(event, sample))
        .map(Stacks::method)
        .flatMap(Optional::stream)
        .findFirst()
        .map(method -> " in " + method)
        .orElse("");
  }

  /** The event is committed at the end of its time. */
  private static boolean isDuring(RecordedEvent event, RecordedEvent sample) {
    RecordedThread sampled = sample.getValue("sampledThread");
    Duration before = Duration.between(sample.getStartTime(), event.getStartTime());
    return sampled != null
        && sampled.getId() == event.getThread().getId()
        && !before.isNegative()
        && before.compareTo(event.getDuration("took")) <= 0;
  }

  /** The innermost one that is not of the JDK. */
  private static Optional<String> method(RecordedEvent sample) {
    RecordedStackTrace stack = sample.getStackTrace();
    if (stack == null) {
      return Optional.empty();
    }
    return stack.getFrames().stream()
        .map(frame -> frame.getMethod())
        .filter(method -> !isOfJdk(method))
        .findFirst()
        .map(method -> simpleName(method) + "." + method.getName());
  }

  private static boolean isOfJdk(RecordedMethod method) {
    String type = method.getType().getName();
    return type.startsWith("java.") || type.startsWith("jdk.") || type.startsWith("sun.");
  }

  private static String simpleName(RecordedMethod method) {
    String type = method.getType().getName();
    return type.substring(type.lastIndexOf('.') + 1);
  }
}
