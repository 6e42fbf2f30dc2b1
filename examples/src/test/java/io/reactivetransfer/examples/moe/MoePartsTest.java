package io.reactivetransfer.examples.moe;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.reactivetransfer.Device;
import io.reactivetransfer.moe.ExpertPlacement;
import io.reactivetransfer.moe.MoeMemory;
import io.reactivetransfer.moe.MoeMemory.Section;
import io.reactivetransfer.moe.MoeShape;
import io.reactivetransfer.spi.LocalMemory;
import io.reactivetransfer.spi.Operation;
import io.reactivetransfer.spi.RemoteMemory;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import reactor.core.publisher.Mono;

/** What the program compares and measures with. */
class MoePartsTest {

  private static final LocalMemory OF_GROUP = () -> new byte[] {1};

  static Plan plan(double skew) {
    return new Plan(
        "loopback",
        null,
        1,
        Device.HOST,
        2,
        100,
        16,
        4,
        130,
        skew,
        null,
        null,
        false,
        1,
        Signals.PARALLEL,
        Duration.ofSeconds(20),
        Duration.ofSeconds(20),
        1,
        false);
  }

  @Test
  void aTokenGoesToDifferentExperts() {
    Routing routing = Routing.of(plan(2), 1, 0, 2);
    for (int token = 0; token < routing.tokens(); token++) {
      int[] of = Arrays.copyOfRange(routing.experts(), token * 4, token * 4 + 4);
      assertThat(of).doesNotHaveDuplicates();
      assertThat(Arrays.stream(of)).allMatch(expert -> expert >= 0 && expert < 16);
    }
  }

  @Test
  void skewMakesTheFirstExpertsLikely() {
    ExpertPlacement placement = ExpertPlacement.even(2, 16);
    int[] even = Routing.of(plan(0), 1, 0, 2).pairs(placement);
    int[] skewed = Routing.of(plan(2), 1, 0, 2).pairs(placement);
    assertThat(even[0]).isBetween(150, 250);
    assertThat(skewed[0]).isGreaterThan(300);
    assertThat(skewed[0] + skewed[1]).isEqualTo(400);
  }

  @Test
  void stepsHaveTokensOfTheirOwn() {
    assertThat(Routing.of(plan(0), 1, 0, 2).experts())
        .isNotEqualTo(Routing.of(plan(0), 3, 0, 2).experts());
    assertThat(Routing.of(plan(0), Routing.UNEVEN, 0, 2).tokens()).isZero();
    assertThat(Routing.of(plan(0), Routing.UNEVEN, 1, 2).tokens()).isEqualTo(50);
  }

  /** The sums of the reference by hand: one token, in which all numbers are 1 and all scales 2. */
  @Test
  void anExpertMultipliesWhatATokenMeans() {
    Plan plan = plan(0);
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment token = arena.allocate(plan.tokenBytes());
      for (int i = 0; i < 130; i++) {
        token.set(ValueLayout.JAVA_BYTE, i, (byte) 0x38); // 1 in E4M3
      }
      token.set(ValueLayout.JAVA_FLOAT_UNALIGNED, 130, 2);
      token.set(ValueLayout.JAVA_FLOAT_UNALIGNED, 134, 4);
      assertThat(Experts.ofBf16(Experts.result(plan, 0, token, 0, 0))).isEqualTo(2);
      assertThat(Experts.ofBf16(Experts.result(plan, 0, token, 0, 129))).isEqualTo(4);
      assertThat(Experts.ofBf16(Experts.result(plan, 32, token, 0, 0))).isEqualTo(3);
    }
  }

  @Test
  void anotherSumIsFoundWhereverItIs() {
    Plan plan = plan(0);
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment memory = arena.allocate(100 * 260);
      Sums right = Sums.of(plan, 100, memory);
      assertThat(Sums.of(right.toLine()).difference(right)).isEmpty();
      memory.set(ValueLayout.JAVA_BYTE, 57 * 260 + 259, (byte) 1);
      assertThat(right.difference(Sums.of(plan, 100, memory)))
          .isEqualTo("another sum among tokens 56 to 57");
      assertThat(right.difference(Sums.of(plan, 40, memory))).contains("number of tokens");
    }
  }

  @Test
  void timesTravelOnALine() {
    Times times = Times.of(3);
    times.set(Half.STEP, 2, 1_234_567);
    times.set(Half.DISPATCH_SEND, 1, 900);
    Times read = Times.of(times.toLine());
    assertThat(read.of(Half.STEP)).containsExactly(0, 0, 1_234_500);
    assertThat(read.withoutFirst().of(Half.DISPATCH_SEND)).containsExactly(900, 0);
    assertThat(read.percentiles(Half.STEP).p99Millis()).isEqualTo(1.2345);
  }

  @Test
  void onlyRoutesAndResultsAreNoted() {
    MoeShape shape = plan(0).shape(2);
    MoeMemory memory = shape.memory(0);
    Posts posts = new Posts(shape, 0);
    posts.turnBegins();
    posts.begin();
    posts.taken(write(memory.offset(0, Section.SEND), 160));
    posts.taken(write(memory.offset(0, Section.OWN_ROW), 0)); // of a step that is refused
    LocalMemory tokens = () -> new byte[] {2};
    posts.ofOthers(tokens);
    posts.taken(write(tokens, memory.offset(0, Section.OWN_ROW), 160));
    assertThat(posts.routes().first()).isZero();
    posts.taken(write(memory.offset(0, Section.OWN_ROW), 128));
    posts.taken(write(memory.offset(0, Section.BLOCKS), 0));
    long first = posts.results().first();
    assertThat(posts.results().last()).isEqualTo(first);
    while (System.nanoTime() == first) {
      Thread.onSpinWait(); // where the clock is coarse
    }
    posts.taken(write(memory.offset(0, Section.RETURNED), 0)); // the last block, which is empty
    assertThat(posts.results().first()).isEqualTo(first);
    assertThat(posts.results().last()).isGreaterThan(first);
    assertThat(posts.routes().last()).isEqualTo(posts.routes().first()).isLessThanOrEqualTo(first);
    assertThat(posts.routes().turn()).isPositive().isLessThanOrEqualTo(posts.routes().first());
  }

  private static Operation write(long from, long length) {
    return write(OF_GROUP, from, length);
  }

  private static Operation write(LocalMemory source, long from, long length) {
    return new Operation().between(source, new RemoteMemory() {}).range(from, 0, length);
  }

  @Test
  void hostTimesTravelOnALine() {
    Posts posts = new Posts(plan(0).shape(2), 0);
    posts.begin();
    posts.taken(write(plan(0).shape(2).memory(0).offset(0, Section.OWN_ROW), 128));
    HostTimes times = HostTimes.of(2);
    long begun = posts.routes().first() - 1_000;
    times.set(HostTimes.Exchange.ROUTES, 1, begun, begun + 70, false, posts.routes());
    HostTimes read = HostTimes.of(times.toLine()).withoutFirst();
    assertThat(read.of(HostTimes.Exchange.ROUTES, HostTimes.Moment.ENQUEUE)).containsExactly(70);
    assertThat(read.of(HostTimes.Exchange.ROUTES, HostTimes.Moment.HAND_OVER)).containsExactly(-1);
    assertThat(read.of(HostTimes.Exchange.ROUTES, HostTimes.Moment.LAST_POST))
        .containsExactly(1_000);
    assertThat(read.of(HostTimes.Exchange.RESULTS, HostTimes.Moment.ENQUEUE)).containsExactly(0);
  }

  /** As Linux lists threads; one that has ended counts for what it took. */
  @Test
  void theTimeOfCompilersIsThatOfTheirThreads(@TempDir Path threads) throws IOException {
    CompilerTime time = new CompilerTime(threads);
    assertThat(time.nanos()).isZero();
    thread(threads.resolve("11"), "C1 CompilerThre\n", "1000 20 3\n");
    thread(threads.resolve("12"), "C2 CompilerThre\n", "500 7 1\n");
    thread(threads.resolve("13"), "parallel-1\n", "70000 7 1\n");
    Files.createDirectory(threads.resolve("14")); // which has just ended
    assertThat(time.nanos()).isEqualTo(1_500);
    thread(threads.resolve("12"), "C2 CompilerThre\n", "600 7 1\n");
    Files.delete(threads.resolve("11").resolve("comm"));
    assertThat(time.nanos()).isEqualTo(1_600);
    assertThat(new CompilerTime(threads.resolve("elsewhere")).nanos()).isZero();
  }

  @Test
  void thisProcessHasCompilers() {
    assumeTrue(Files.exists(Path.of("/proc/thread-self/schedstat")), "a system that says it");
    assertThat(new CompilerTime().nanos()).isPositive();
  }

  private static void thread(Path folder, String name, String times) throws IOException {
    Files.createDirectories(folder);
    Files.writeString(folder.resolve("comm"), name);
    Files.writeString(folder.resolve("schedstat"), times);
  }

  /** Two pieces at once take as long as one after the other. */
  @Test
  void aDeviceDoesOnePieceOfWorkAfterTheOther() {
    TimedDevice device = new TimedDevice();
    long began = System.nanoTime();
    Mono.when(device.work(20_000_000), device.work(30_000_000)).block();
    assertThat(System.nanoTime() - began).isGreaterThanOrEqualTo(50_000_000);
  }

  @Test
  void spansTravelOnALine() {
    List<Span> spans =
        List.of(new Span(Span.What.WORK, 0, 1, 2), new Span(Span.What.COMBINE_RECEIVE, 1, 3, 4));
    assertThat(Span.of(Span.toLine(spans))).isEqualTo(spans);
    assertThat(Span.of("")).isEmpty();
  }
}
