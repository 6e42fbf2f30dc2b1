package io.reactivetransfer.engine.peers;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.DeadlineExceededException;
import io.reactivetransfer.EngineId;
import io.reactivetransfer.Imm;
import io.reactivetransfer.ImmCounter;
import io.reactivetransfer.MemorySlice;
import io.reactivetransfer.RemoteSlice;
import io.reactivetransfer.Scatter;
import io.reactivetransfer.Scatter.Part;
import io.reactivetransfer.WriteImm;
import io.reactivetransfer.engine.EngineByHand;
import io.reactivetransfer.engine.base.Probe;
import io.reactivetransfer.engine.base.WireImm;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntToLongFunction;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import reactor.core.publisher.Flux;

/** Ending costs what it ends: six times as much takes about six times as long, not 36 times. */
class EndingCostTest {

  private static final int FEW = 1_500;
  private static final int TIMES = 6;
  private static final int LIMIT = 3;
  private static final int ROUNDS = 20;
  private static final int GROUPS_OF_A_PEER = 30;

  private EngineByHand hand;
  private MemorySlice source;
  private RemoteSlice target;

  private enum Ending {
    CANCEL {
      @Override
      void apply(EngineByHand hand, List<Probe<?>> probes) {
        probes.reversed().forEach(Probe::cancel);
      }
    },
    LOSS {
      @Override
      void apply(EngineByHand hand, List<Probe<?>> probes) {
        hand.control().lose(hand.peer(1).id(), 1, "told to lose it");
      }
    },
    CLOSE {
      @Override
      void apply(EngineByHand hand, List<Probe<?>> probes) {
        hand.probe(hand.engine().close());
      }
    },
    DEADLINE {
      @Override
      void apply(EngineByHand hand, List<Probe<?>> probes) {
        hand.loop.advance(Duration.ofSeconds(61));
      }
    };

    abstract void apply(EngineByHand hand, List<Probe<?>> probes);
  }

  private void open() {
    hand = new EngineByHand();
    hand.open(
        1,
        options ->
            options
                .maxSubmissions(1 << 17)
                .transferDeadline(Duration.ofSeconds(60))
                .livenessDeadline(Duration.ofHours(1)));
    hand.nic(0).room = 0;
    source = hand.region().slice(0, 8);
    target = hand.remote(1).slice(0, 8);
  }

  private List<Probe<?>> waitingWrites(int count) {
    List<Probe<?>> probes = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      probes.add(hand.probe(hand.engine().submit(WriteImm.of(source, target, Imm.of(1)))));
    }
    hand.turn();
    assertThat(hand.stats().transfersInFlight()).isEqualTo(count);
    return probes;
  }

  private List<Probe<?>> waitingMessages(int count) {
    ByteBuffer message = ByteBuffer.allocate(500);
    List<Probe<?>> probes = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      probes.add(hand.probe(hand.engine().send(hand.peer(1), message)));
    }
    hand.turn();
    return probes;
  }

  /** Processor time of this thread, for as many as it is told. */
  private static long cost(Runnable action) {
    var threads = ManagementFactory.getThreadMXBean();
    long before = threads.getCurrentThreadCpuTime();
    action.run();
    return threads.getCurrentThreadCpuTime() - before;
  }

  /**
   * The least of some rounds: what disturbs a measurement makes it longer, and what costs too much
   * does so in each of them.
   */
  private static void assertLinear(IntToLongFunction cost) {
    assertGrowth(cost, TIMES * LIMIT);
  }

  private static void assertGrowth(IntToLongFunction cost, int limit) {
    cost.applyAsLong(FEW); // warms up
    long few = cost.applyAsLong(FEW);
    long many = cost.applyAsLong(FEW * TIMES);
    for (int round = 0; round < ROUNDS && many >= few * limit; round++) {
      few = Math.min(few, cost.applyAsLong(FEW));
      many = Math.min(many, cost.applyAsLong(FEW * TIMES));
    }
    assertThat(many)
        .as(
            "the cost where there are %s, and where there are %s it is %s ns",
            FEW * TIMES, FEW, few)
        .isLessThan(few * limit);
  }

  private long costOfWrites(Ending ending, int count) {
    open();
    List<Probe<?>> probes = waitingWrites(count);
    long cost =
        cost(() -> {
          ending.apply(hand, probes);
          hand.turn();
        });
    assertThat(hand.stats().transfersInFlight()).isZero();
    hand.end();
    return cost;
  }

  @ParameterizedTest
  @EnumSource
  void ofWrites(Ending ending) {
    assertLinear(count -> costOfWrites(ending, count));
  }

  @Test
  void ofMessages() {
    assertLinear(this::costOfMessages);
  }

  private long costOfMessages(int count) {
    open();
    List<Probe<?>> probes = waitingMessages(count);
    long cost =
        cost(() -> {
          probes.reversed().forEach(Probe::cancel);
          hand.turn();
        });
    hand.end();
    return cost;
  }

  /** All of one immediate, so that each waits behind those before it. */
  private List<Probe<?>> waitingClaims(int count) {
    ImmCounter counter = hand.engine().counter(Imm.of(1)).boundTo(hand.peer(1));
    List<Probe<?>> probes = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      probes.add(hand.probe(counter.within(Duration.ofSeconds(60).minusMillis(i)).next(1)));
    }
    hand.turn();
    assertThat(hand.stats().pendingClaims()).isEqualTo(count);
    return probes;
  }

  private long costOfClaims(Ending ending, int count) {
    open();
    List<Probe<?>> probes = waitingClaims(count);
    long cost =
        cost(() -> {
          ending.apply(hand, probes);
          hand.turn();
        });
    assertThat(hand.stats().pendingClaims()).isZero();
    hand.end();
    return cost;
  }

  @ParameterizedTest
  @EnumSource
  void ofClaims(Ending ending) {
    assertLinear(count -> costOfClaims(ending, count));
  }

  /** Each has entered barriers that nobody has entered here, each other ones. */
  private long costOfForgetting(int groups) {
    open();
    int peers = groups / GROUPS_OF_A_PEER;
    for (int i = 0; i < peers; i++) {
      int number = 10 + i;
      EngineId peer = hand.address(number).engine();
      hand.receive(number, hand.hello(number, 1, 0));
      for (int g = 1; g <= GROUPS_OF_A_PEER; g++) {
        hand.control()
            .receive(peer, ControlFrame.barrier(new EngineId(i, g), hand.epoch(number), g, 0));
      }
      hand.control().lose(peer, 1, "told to lose it");
      hand.turn();
    }
    assertThat(hand.barriers().groups()).isEqualTo(peers * GROUPS_OF_A_PEER);
    long cost = cost(() -> hand.peers().forgetLost());
    assertThat(hand.barriers().groups()).isZero();
    hand.end();
    return cost;
  }

  @Test
  void ofPeersThatAreForgotten() {
    assertLinear(this::costOfForgetting);
  }

  /** Each has left one immediate, beside those of others, who fill the table of so many for one. */
  private void fillTable(int max, int left) {
    hand = new EngineByHand();
    hand.open(1, o -> o.maxUnclaimedImms(max));
    for (int i = 0; i < left; i++) {
      arrive(i, i);
    }
    for (int imm = left; imm < 4 * max; imm++) {
      arrive(-1 - imm % 4, imm);
    }
    hand.turn();
    assertThat(hand.stats().unclaimedImms()).isEqualTo(4L * max);
  }

  private static EngineId stranger(int number) {
    return new EngineId(200, number);
  }

  private void arrive(int stranger, int imm) {
    hand.nic(0).report(sink -> sink.immArrived(stranger(stranger), WireImm.encode(imm, 1), 0));
  }

  private long costOfLosing(int strangers) {
    for (int i = 0; i < strangers; i++) {
      hand.control().lose(stranger(i), 1, "told to lose it");
    }
    return cost(hand::turn);
  }

  private long costOfMakingRoom(int max) {
    int gone = max / 5;
    fillTable(max, gone);
    costOfLosing(gone);
    arrive(-9, 4 * max);
    long cost = cost(hand::turn);
    assertThat(hand.stats().unclaimedImms()).isEqualTo(4L * max - gone + 1);
    hand.end();
    return cost;
  }

  /** The table is not gone over for each that has left something there. */
  @Test
  void ofOriginsThatLeftSomethingWhenRoomIsNeeded() {
    assertLinear(this::costOfMakingRoom);
  }

  private long costOfLosingWhoOverflowed(int max) {
    int gone = max / 5;
    fillTable(max, gone);
    for (int i = 0; i < gone; i++) {
      arrive(i, 4 * max + i);
    }
    hand.turn();
    assertThat(hand.stats().droppedImms()).isEqualTo(gone);
    long cost = costOfLosing(gone);
    assertThat(hand.stats().unclaimedImms()).isEqualTo(4L * max - gone);
    hand.end();
    return cost;
  }

  @Test
  void ofOriginsOfWhichArrivalsWereLost() {
    assertLinear(this::costOfLosingWhoOverflowed);
  }

  /** Each writes to two peers that take nothing, in turns. */
  private long costOfSpreading(int streams) {
    open();
    Scatter both =
        Scatter.of(null, new Part(source, target), new Part(source, hand.remote(2).slice(0, 8)));
    for (int i = 0; i < streams; i++) {
      hand.probe(hand.engine().submit(Flux.just(both, both, both, both)));
    }
    long cost = cost(hand::turn);
    hand.nic(0).room = Integer.MAX_VALUE;
    hand.end();
    return cost;
  }

  /** To wait costs no more, either, when many wait. */
  @Test
  void ofWaitingForSeveralPeers() {
    assertLinear(count -> costOfSpreading(count / 5));
  }

  /** Short deadlines, one after another, while many streams have a long one. */
  private long costOfShortDeadlines(int streams) {
    open();
    waitingWrites(streams);
    WriteImm write = WriteImm.of(source, target, Imm.of(2));
    long cost =
        cost(() -> {
          for (int i = 0; i < 50; i++) {
            Probe<?> probe = hand.probe(hand.engine().submit(write, Duration.ofMillis(2)));
            hand.turn();
            hand.loop.advance(Duration.ofMillis(4));
            assertThat(probe.error()).isInstanceOf(DeadlineExceededException.class);
          }
        });
    hand.end();
    return cost;
  }

  /** Who has a long deadline is not looked at for that of others. */
  @Test
  void ofShortDeadlinesIsTheSameHoweverManyLongOnesThereAre() {
    assertGrowth(this::costOfShortDeadlines, LIMIT);
  }

  /** Nobody else waits for all of them. */
  @Test
  void isSpreadOverTurns() {
    open();
    waitingWrites(20_000);
    hand.control().lose(hand.peer(1).id(), 1, "told to lose it");
    hand.nic(0).context.doorbell().ring();
    long before = hand.stats().transfersInFlight();
    int turns = 0;
    while (before > 0) {
      assertThat(hand.loop.step()).as("another turn, for those that are left").isTrue();
      long after = hand.stats().transfersInFlight();
      assertThat(before - after).as("ended in one turn").isLessThanOrEqualTo(5_000);
      before = after;
      turns++;
    }
    assertThat(turns).isGreaterThan(3);
    hand.end();
  }
}
