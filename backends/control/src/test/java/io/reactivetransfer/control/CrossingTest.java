package io.reactivetransfer.control;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.spi.EngineIdentity;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Both dial at once, in every order in which what they say can arrive: one session comes of it, and
 * nothing that was taken over is lost.
 */
class CrossingTest {

  private static final int ROUNDS = Integer.getInteger("reactivetransfer.rounds", 1);

  private static final EngineIdentity LOW = ordered(0);
  private static final EngineIdentity HIGH = ordered(1);

  private static List<EngineIdentity> drawn;

  private static EngineIdentity ordered(int index) {
    if (drawn == null) {
      drawn =
          Stream.generate(EngineIdentity::draw)
              .limit(2)
              .sorted((a, b) -> a.id().compareTo(b.id()))
              .toList();
    }
    return drawn.get(index);
  }

  /** How one of them dials. */
  enum Way {
    SEND(site -> site.send("never taken at once")),
    FIND(site -> site.find(1)),
    BOTH(site -> {
      site.send("never taken at once");
      site.find(1);
    });

    private final Consumer<Lab.Site> dial;

    Way(Consumer<Lab.Site> dial) {
      this.dial = dial;
    }
  }

  /** With three connections, in some of the many orders. */
  @ParameterizedTest
  @EnumSource(names = {"SEND", "FIND"})
  void oneSessionComesOfThree(Way ofTwo) {
    SplittableRandom random = new SplittableRandom(1);
    for (int i = 0; i < 10 * ROUNDS; i++) {
      List<Integer> order = new ArrayList<>();
      Lab lab = begin(Way.BOTH, ofTwo);
      for (int choices; (choices = lab.choices().size()) > 0; ) {
        order.add(random.nextInt(choices));
        step(lab, order.getLast());
      }
      check(lab, Way.BOTH, ofTwo, order);
    }
  }

  /** With two connections, in every order. */
  @Test
  void oneSessionComesOfIt() {
    assertOneSessionComesOfIt(Way.SEND, Way.FIND);
  }

  /** In a usual build the lower one sends, and the other looks for who is there. */
  @ParameterizedTest
  @CsvSource({"FIND, SEND", "SEND, SEND", "FIND, FIND"})
  @Tag("nightly")
  void oneSessionComesOfItHoweverTheyDial(Way ofOne, Way ofTwo) {
    assertOneSessionComesOfIt(ofOne, ofTwo);
  }

  /** An order that leads to what was seen before is not followed any further. */
  private static void assertOneSessionComesOfIt(Way ofOne, Way ofTwo) {
    Set<String> seen = new HashSet<>();
    Deque<List<Integer>> orders = new ArrayDeque<>();
    orders.add(List.of());
    int ends = 0;
    while (!orders.isEmpty()) {
      List<Integer> order = orders.removeLast();
      Lab lab = begin(ofOne, ofTwo);
      order.forEach(choice -> step(lab, choice));
      if (!seen.add(lab.toString())) {
        continue;
      }
      int choices = lab.choices().size();
      if (choices == 0) {
        ends++;
        check(lab, ofOne, ofTwo, order);
      }
      for (int next = 0; next < choices; next++) {
        orders.add(Stream.concat(order.stream(), Stream.of(next)).toList());
      }
    }
    assertThat(ends).isGreaterThan(0);
    assertThat(seen).hasSizeGreaterThan(20);
  }

  /** Both have dialled, and the other side, whose turn it is to open, dials anew instead. */
  @Test
  void whoLooksForOneThatNeverOpensIsTold() {
    Lab lab = new Lab(LOW, HIGH);
    lab.one.send("never taken at once");
    lab.settle();
    lab.wires.get(0).deliverToFar(); // its proof, whose answer it does not take
    lab.two.find(1);
    lab.settle();
    lab.wires.get(1).deliverToFar();
    lab.wires.get(1).deliverToNear();
    lab.two.advance(9_000);
    Dialled again = new Dialled(lab.one.sessions, lab.two.address, HIGH.id(), 99);
    lab.wires.add(lab.new Wire(lab.one, lab.two, again));
    lab.wires.getLast().deliverToFar();
    assertThat(lab.two.log).isEmpty();
    lab.two.advance(2_000);
    lab.settle();
    assertThat(lab.two.log).singleElement().asString().startsWith("not found 1");
  }

  /** The network between them was cut without a word, and only one of them has noticed. */
  @Test
  void whoWaitsForASessionIsNotLostBecauseTheOtherSideHasTheOldOne() {
    Lab lab = new Lab(LOW, HIGH);
    lab.two.send("never taken at once");
    deliverAll(lab);
    lab.one.channel.disconnect(HIGH.id(), "it is silent");
    lab.settle();
    lab.wires.getFirst().toNear.clear(); // also the farewell
    lab.two.find(1);
    lab.settle();
    lab.wires.get(1).deliverToFar(); // its proof, which is welcomed
    lab.one.send("never taken at once");
    deliverAll(lab);
    assertThat(lab.one.log).isEmpty();
    assertThat(lab.one.send("after all")).isTrue();
    deliverAll(lab);
    assertThat(lab.two.log).first().isEqualTo("found 1");
    assertThat(lab.two.log).last().isEqualTo("received after all");
  }

  private static void deliverAll(Lab lab) {
    lab.settle();
    while (!lab.choices().isEmpty()) {
      lab.choices().getFirst().run();
    }
  }

  private static Lab begin(Way ofOne, Way ofTwo) {
    Lab lab = new Lab(LOW, HIGH);
    ofOne.dial.accept(lab.one);
    ofTwo.dial.accept(lab.two);
    lab.settle();
    return lab;
  }

  private static void step(Lab lab, int choice) {
    lab.choices().get(choice).run();
    sendWhatCanBe(lab.one);
    sendWhatCanBe(lab.two);
    lab.settle();
  }

  private static void check(Lab lab, Way ofOne, Way ofTwo, List<Integer> order) {
    check(lab.one, ofOne, order);
    check(lab.two, ofTwo, order);
    assertThat(lab.wires.stream().filter(wire -> wire.near.isOpen()).count())
        .as("connections after %s", order)
        .isEqualTo(1);
  }

  /** At the first moment at which there is a session. */
  private static void sendWhatCanBe(Lab.Site site) {
    if (site.taken.isEmpty() && site.sessions.sessionKey(site.other().identity.id(), "x") != null) {
      assertThat(site.send("from " + site.port)).isTrue();
    }
  }

  private static void check(Lab.Site site, Way way, List<Integer> choices) {
    List<String> expected =
        new ArrayList<>(site.other().taken.stream().map(it -> "received " + it).toList());
    assertThat(expected).hasSize(1);
    List<String> received = site.log.stream().filter(it -> it.startsWith("received")).toList();
    assertThat(received).as("after %s", choices).isEqualTo(expected);
    List<String> rest = site.log.stream().filter(it -> !it.startsWith("received")).toList();
    assertThat(rest)
        .as("after %s", choices)
        .isEqualTo(way == Way.SEND ? List.of() : List.of("found 1"));
  }
}
