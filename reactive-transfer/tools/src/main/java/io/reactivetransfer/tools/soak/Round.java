package io.reactivetransfer.tools.soak;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * What happens in one round of one stream. Both sides draw it from the seed, so that the target
 * knows what to expect without being told.
 *
 * @param number which
 * @param stamp decides the content
 * @param trouble what goes wrong on purpose
 * @param mode how it is submitted
 * @param delayMicros when the trouble begins
 * @param renewed whether the target's region is registered anew first
 * @param steps the transfers, at most 64
 */
record Round(
    int number,
    long stamp,
    Trouble trouble,
    Mode mode,
    long delayMicros,
    boolean renewed,
    List<Step> steps) {

  private static final List<Step.Kind> KINDS = List.of(Step.Kind.values());
  private static final List<Mode> MODES = List.of(Mode.values());
  private static final int MAX_STEPS = 8;
  private static final int ROUNDS_PER_TROUBLE = 6;
  private static final int ROUNDS_PER_RENEWAL = 40;
  private static final int MAX_DELAY_MICROS = 3_000;

  /** What goes wrong on purpose. */
  enum Trouble {
    NONE,
    REVOKED,
    CANCELLED,
    DEADLINE
  }

  /** Which way of the API is taken. */
  enum Mode {
    SINGLES,
    STREAM,
    EACH
  }

  static Round of(Plan plan, Where where, int pages, boolean delivered, int number) {
    long stamp = where.stamp(number);
    Random random = new Random(stamp);
    Trouble trouble = trouble(plan, random);
    Mode mode = MODES.get(random.nextInt(MODES.size()));
    if (trouble == Trouble.DEADLINE && mode == Mode.EACH) {
      mode = Mode.STREAM; // there each transfer has the engine's deadline
    }
    long delay = 1L + random.nextInt(MAX_DELAY_MICROS);
    boolean renewed =
        random.nextInt(ROUNDS_PER_RENEWAL) == 0 && plan.has(Feature.REGISTRATIONS) && number > 0;
    return new Round(number, stamp, trouble, mode, delay, renewed, steps(random, pages, delivered));
  }

  private static Trouble trouble(Plan plan, Random random) {
    if (random.nextInt(ROUNDS_PER_TROUBLE) != 0) {
      return Trouble.NONE;
    }
    return switch (random.nextInt(3)) {
      case 0 -> plan.has(Feature.REVOCATIONS) ? Trouble.REVOKED : Trouble.NONE;
      case 1 -> plan.has(Feature.CANCELS) ? Trouble.CANCELLED : Trouble.NONE;
      default -> plan.has(Feature.DEADLINES) ? Trouble.DEADLINE : Trouble.NONE;
    };
  }

  private static List<Step> steps(Random random, int pages, boolean delivered) {
    List<Integer> sources = shuffled(random, pages);
    List<Integer> targets = shuffled(random, pages);
    List<Step> steps = new ArrayList<>();
    int used = 0;
    for (int left = 1 + random.nextInt(MAX_STEPS); left > 0 && used < pages; left--) {
      Step.Kind kind = KINDS.get(random.nextInt(KINDS.size()));
      if (kind == Step.Kind.WRITE && !delivered) {
        kind = Step.Kind.WRITE_IMM; // nobody would know when to look
      }
      int most = Math.min(kind.max(), pages - used);
      int count = most == 0 ? 0 : kind.min() + random.nextInt(most);
      steps.add(
          new Step(
              kind,
              List.copyOf(sources.subList(used, used + count)),
              List.copyOf(targets.subList(used, used + count))));
      used += count;
    }
    return List.copyOf(steps);
  }

  private static List<Integer> shuffled(Random random, int pages) {
    List<Integer> order = new ArrayList<>(IntStream.range(0, pages).boxed().toList());
    Collections.shuffle(order, random);
    return order;
  }

  int arrivals() {
    return steps.stream().mapToInt(Step::arrivals).sum();
  }

  /** What decides the content of a page that is written in this round. */
  long stampOf(int page) {
    return Content.mix(stamp + page);
  }

  /** What decides the content of a page whose write came to nothing: the target's own. */
  long mendedStampOf(int page) {
    return Content.mix(~stampOf(page));
  }

  /** For people. */
  @Override
  public String toString() {
    return "round %d (%s, %s after %d us, %s)"
        .formatted(
            number,
            mode,
            trouble,
            delayMicros,
            steps.stream()
                .map(step -> step.kind() + " of " + step.targets().size())
                .collect(Collectors.joining(", ")));
  }
}
