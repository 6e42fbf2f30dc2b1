package io.reactivetransfer.moe;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.moe.MoeMemory.Section;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What ranks compute from counts is what comes of moving each token by itself. */
class RoutingPropertyTest {

  private static final long SEED = Seeds.first(20_261_125);

  private static final int CASES = 400 * Integer.getInteger("reactivetransfer.rounds", 1);

  /** As much as a rank of the cases before needs; nobody reads or writes it. */
  private MemorySegment room = MemorySegment.NULL;

  private MemorySegment room(long bytes) {
    if (room.byteSize() < bytes) {
      room = Arena.ofAuto().allocate(bytes, MoeMemory.ALIGNMENT);
    }
    return room.asSlice(0, bytes);
  }

  /** One token for one expert, as somebody would follow it who knows nothing of counts. */
  record Pair(int group, int token, int k, int instance) {}

  @Test
  void everyPairHasOnePlaceAndIsFoundThere() {
    for (int i = 0; i < CASES; i++) {
      long seed = SEED + i;
      RandomSteps steps = new RandomSteps(seed);
      int ranks = steps.chance(6) ? steps.between(13, 64) : steps.between(1, 12);
      MoeShape shape = steps.shape(ranks).build();
      try {
        new Case(steps, shape).check();
      } catch (Throwable e) {
        throw new AssertionError("-Dreactivetransfer.moe.seed=" + seed + ", " + shape, e);
      }
    }
  }

  /** More ranks and experts than 512, of which some are looked at. */
  @Test
  void sixHundredRanksHaveOnePlaceForEachPair() {
    RandomSteps steps = new RandomSteps(SEED);
    MoeShape shape =
        MoeShape.builder(ExpertPlacement.even(600, 2_400), 8, 4, 16, 8)
            .privateTokens(1)
            .expertAlignment(4)
            .maxReceived(10_000)
            .build();
    StepsTest.seeded(SEED, shape, () -> new Case(steps, shape).check(61));
  }

  @Test
  void aWorstCaseTakesAllTokensOfAllGroupsAtOneRankAndNoPlaceIsLeft() {
    ExpertPlacement placement = ExpertPlacement.of(3, new int[][] {{1}, {0}, {1}, {2}});
    MoeShape shape = MoeShape.builder(placement, 2, 5, 8, 4).privateTokens(3).build();
    int[] experts = {0, 2, 2, 0, 0, 2, 0, 2, 2, 0};
    RouteTable table = new RouteTable(shape);
    MemorySegment[] rows = new MemorySegment[3];
    for (int rank = 0; rank < 3; rank++) {
      OwnRouting own = new OwnRouting(shape, rank);
      own.route(5, experts);
      rows[rank] = row(shape, 1, own);
    }
    assertThat(table.read(rows, 1)).isNull();
    assertThat(table.refusal()).isNull();
    assertThat(table.received(1)).isEqualTo(30).isEqualTo(shape.memory(1).received());
    assertThat(table.overflowSlot(2, 1) + table.overflowPairs(2, 1))
        .isEqualTo(14)
        .isEqualTo(shape.memory(1).overflowSlots());
  }

  static MemorySegment row(MoeShape shape, long step, OwnRouting own) {
    MemorySegment row = MemorySegment.ofArray(new byte[(int) RouteRow.bytes(shape)]);
    RouteRow.write(row, step, own);
    return row;
  }

  private final class Case {
    private final MoeShape shape;
    private final int groups;
    private final OwnRouting[] routing;
    private final int[][] experts;
    private final RouteTable table;
    private final List<List<Pair>> bySendOrder = new ArrayList<>();

    /** By group, then by rank: what is for it, in send order. */
    private final List<List<List<Pair>>> sent = new ArrayList<>();

    Case(RandomSteps steps, MoeShape shape) {
      this.shape = shape;
      groups = shape.groups().groups();
      routing = new OwnRouting[groups];
      experts = new int[groups][];
      for (int group = 0; group < groups; group++) {
        int tokens = steps.tokens(shape);
        experts[group] = steps.experts(shape, tokens);
        routing[group] = new OwnRouting(shape, group);
        // What it computed before must not matter.
        routing[group].route(1, steps.experts(shape, 1));
        routing[group].route(tokens, experts[group]);
        bySendOrder.add(naiveSendOrder(group, tokens));
        sent.add(byRank(bySendOrder.get(group)));
      }
      table = new RouteTable(shape);
      MemorySegment[] rows = new MemorySegment[shape.ranks()];
      for (int rank = 0; rank < rows.length; rank++) {
        rows[rank] = row(shape, 77, routing[shape.groups().groupOf(rank)]);
      }
      assertThat(table.read(rows, 77)).isNull();
      assertThat(table.refusal()).isNull();
    }

    /** By instance, then by token; replicas of an expert take turns. */
    private List<Pair> naiveSendOrder(int group, int tokens) {
      ExpertPlacement placement = shape.placement();
      int[] turns = new int[placement.experts()];
      List<Pair> pairs = new ArrayList<>();
      for (int token = 0; token < tokens; token++) {
        for (int k = 0; k < shape.topK(); k++) {
          int expert = experts[group][token * shape.topK() + k];
          int turn = (turns[expert]++ + group) % placement.replicas(expert);
          pairs.add(new Pair(group, token, k, placement.instance(expert, turn)));
        }
      }
      List<Pair> ordered = new ArrayList<>();
      for (int instance = 0; instance < placement.instances(); instance++) {
        for (Pair pair : pairs) {
          if (pair.instance() == instance) {
            ordered.add(pair);
          }
        }
      }
      return ordered;
    }

    void check() {
      check(1);
    }

    /** The same of one of so many ranks. */
    void check(int everyRank) {
      for (int group = 0; group < groups; group++) {
        List<Pair> order = bySendOrder.get(group);
        assertThat(table.tokens(group) * shape.topK()).isEqualTo(order.size());
        for (int place = 0; place < order.size(); place++) {
          Pair pair = order.get(place);
          int own = pair.token() * shape.topK() + pair.k();
          assertThat(routing[group].place(own)).isEqualTo(place);
          assertThat(routing[group].rank(own)).isEqualTo(shape.placement().rankOf(pair.instance()));
        }
      }
      for (int rank = 0; rank < shape.ranks(); rank += everyRank) {
        checkRank(rank);
      }
    }

    private void checkRank(int rank) {
      MoeMemory memory = shape.memory(rank);
      Pair[] privates = new Pair[(groups - 1) * memory.privateSlots()];
      Pair[] overflow = new Pair[memory.overflowSlots()];
      int writes = 0;
      int privateWrites = 0;
      for (int group = 0; group < groups; group++) {
        List<Pair> sent = sent(group, rank);
        assertThat(table.pairs(group, rank)).isEqualTo(sent.size());
        if (!sent.isEmpty()) {
          assertThat(bySendOrder.get(group).get(table.firstPair(group, rank)))
              .isEqualTo(sent.get(0));
        }
        if (shape.groups().groupOf(rank) == group) {
          assertThat(table.privatePairs(group, rank) + table.overflowPairs(group, rank)).isZero();
          continue;
        }
        int first = table.privatePairs(group, rank);
        assertThat(first).isEqualTo(Math.min(sent.size(), memory.privateSlots()));
        for (int i = 0; i < first; i++) {
          put(privates, table.privateSlot(group, rank) + i, sent.get(i));
        }
        for (int i = first; i < sent.size(); i++) {
          put(overflow, table.overflowSlot(group, rank) + i - first, sent.get(i));
        }
        privateWrites += first > 0 ? 1 : 0;
        writes += (first > 0 ? 1 : 0) + (sent.size() > first ? 1 : 0);
      }
      assertThat(table.privateWrites(rank)).isEqualTo(privateWrites);
      assertThat(table.tokenWrites(rank)).isEqualTo(writes);
      Map<Long, Pair> came = new HashMap<>();
      add(came, memory, Section.PRIVATE, privates);
      add(came, memory, Section.OVERFLOW, overflow);
      checkArrangement(rank, memory, came);
    }

    private void add(Map<Long, Pair> at, MoeMemory memory, Section section, Pair[] pairs) {
      for (int i = 0; i < pairs.length; i++) {
        if (pairs[i] != null) {
          at.put(memory.offset(0, section) + i * stride(section), pairs[i]);
        }
      }
    }

    private long stride(Section section) {
      boolean isOfResults = section == Section.RESULTS || section == Section.BLOCKS;
      return isOfResults ? shape.resultStride() : shape.tokenStride();
    }

    private void checkArrangement(int rank, MoeMemory memory, Map<Long, Pair> came) {
      Arrangement arrangement = new Arrangement(shape, rank);
      arrangement.compute(table);
      Pair[] rows = new Pair[shape.isInPlace() ? memory.received() : memory.tokenRows()];
      Pair[] blocks = new Pair[memory.received()];
      int total = 0;
      for (int group = 0; group < groups; group++) {
        int inBlock = 0;
        for (int expert = 0; expert < arrangement.experts(); expert++) {
          int instance = shape.placement().firstInstance(rank) + expert;
          int i = 0;
          for (Pair pair : sent(group, rank)) {
            if (pair.instance() == instance) {
              put(rows, arrangement.row(expert, group) + i++, pair);
              put(blocks, arrangement.firstOfBlock(group) + inBlock++, pair);
              total++;
            }
          }
        }
        // A block is what its group finds behind each other among its own pairs.
        for (int i = 0; i < inBlock; i++) {
          assertThat(blocks[arrangement.firstOfBlock(group) + i])
              .isEqualTo(bySendOrder.get(group).get(table.firstPair(group, rank) + i));
        }
      }
      int ownGroup = shape.groups().groupOf(rank);
      int place = table.firstPair(ownGroup, rank);
      for (Pair pair : sent(ownGroup, rank)) {
        assertThat(rows[arrangement.rowOfOwn(place++)]).isEqualTo(pair);
      }
      assertThat(arrangement.received()).isEqualTo(total).isEqualTo((int) table.received(rank));
      Map<Long, Pair> results = new HashMap<>();
      if (shape.isInPlace()) {
        assertThat(rows).isEqualTo(blocks);
        add(came, memory, Section.SEND, ofOwnGroup(rank));
        add(results, memory, Section.BLOCKS, blocks);
        checkBatch(rank, arrangement, came, results);
        return;
      }
      Map<Long, Pair> tokens = new HashMap<>();
      add(tokens, memory, Section.TOKENS, rows);
      add(results, memory, Section.RESULTS, rows);
      checkBatch(rank, arrangement, tokens, results);
      for (int expert = 0; expert < arrangement.experts(); expert++) {
        int first = arrangement.firstRow(expert);
        assertThat(first % shape.expertAlignment()).isZero();
        for (int i = 0; i < arrangement.count(expert); i++) {
          assertThat(rows[first + i].instance())
              .isEqualTo(shape.placement().firstInstance(rank) + expert);
        }
        int end = first + arrangement.count(expert);
        int aligned = Math.ceilDiv(end, shape.expertAlignment()) * shape.expertAlignment();
        assertThat(aligned).as("room for the padding").isLessThanOrEqualTo(rows.length);
      }
    }

    /** What this rank's own group has for it, at its place in send order. */
    private Pair[] ofOwnGroup(int rank) {
      int group = shape.groups().groupOf(rank);
      Pair[] own = new Pair[shape.maxPairs()];
      for (Pair pair : sent(group, rank)) {
        own[routing[group].place(pair.token() * shape.topK() + pair.k())] = pair;
      }
      return own;
    }

    /** Each token of an expert is told once, in order, and so is the place of its result. */
    private void checkBatch(
        int rank, Arrangement arrangement, Map<Long, Pair> tokens, Map<Long, Pair> results) {
      MemorySegment memory = room(shape.memory(rank).bytes());
      ExpertBatch batch = new ExpertBatch(shape, rank, 0, arrangement, memory, null, null);
      for (int expert = 0; expert < batch.experts(); expert++) {
        int index = expert;
        int[] next = new int[1];
        batch.runs(
            index,
            (group, count, tokensAt, resultsAt) -> {
              assertThat(count).isPositive();
              for (int i = 0; i < count; i++) {
                long token = tokensAt + i * batch.tokenStride();
                assertThat(batch.tokenAt(index, next[0])).isEqualTo(token);
                long result = resultsAt + i * batch.resultStride();
                assertThat(batch.resultAt(index, next[0]++)).isEqualTo(result);
                Pair pair = tokens.remove(token);
                assertThat(pair).isNotNull().isEqualTo(results.remove(result));
                assertThat(pair.group()).isEqualTo(group);
                assertThat(pair.instance())
                    .isEqualTo(shape.placement().firstInstance(rank) + index);
              }
            });
        assertThat(next[0]).isEqualTo(batch.count(index));
      }
      assertThat(tokens).isEmpty();
      assertThat(results).isEmpty();
    }

    private List<List<Pair>> byRank(List<Pair> pairs) {
      List<List<Pair>> ofRanks = new ArrayList<>();
      for (int rank = 0; rank < shape.ranks(); rank++) {
        ofRanks.add(new ArrayList<>());
      }
      pairs.forEach(pair -> ofRanks.get(shape.placement().rankOf(pair.instance())).add(pair));
      return ofRanks;
    }

    private List<Pair> sent(int group, int rank) {
      return sent.get(group).get(rank);
    }

    private static void put(Pair[] places, int at, Pair pair) {
      assertThat(places[at]).as(() -> String.format(Locale.ROOT, "place %d is taken", at)).isNull();
      places[at] = pair;
    }
  }
}
