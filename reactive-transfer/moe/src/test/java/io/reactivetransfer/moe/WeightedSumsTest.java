package io.reactivetransfer.moe;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The bits of sums, next to those of one loop over single numbers. */
class WeightedSumsTest {

  private static final int RANKS = 2;
  private static final int OWN = 1;
  private static final int EXPERTS = 4;
  private static final int TOP_K = 3;
  private static final int TOKENS = 5;

  private final Random random = new Random(5);

  private static MoeShape shape(FloatType from, FloatType to, int hidden) {
    return MoeShape.builder(ExpertPlacement.even(RANKS, EXPERTS), TOP_K, TOKENS, 16, hidden)
        .resultType(from)
        .sumType(to)
        .expertAlignment(3)
        .build();
  }

  /** The results of one rank's pairs, some of which its own experts have. */
  private static final class Results {
    final OwnRouting routing;
    final Arrangement arrangement;
    final MemorySegment returned;
    final MemorySegment results;
    final ResultPlaces places;

    Results(MoeShape shape, int tokens, int[] experts) {
      MemorySegment[] rows = new MemorySegment[RANKS];
      OwnRouting[] routings = new OwnRouting[RANKS];
      for (int rank = 0; rank < RANKS; rank++) {
        routings[rank] = new OwnRouting(shape, rank);
        routings[rank].route(tokens, experts);
        rows[rank] = RoutingPropertyTest.row(shape, 1, routings[rank]);
      }
      RouteTable table = new RouteTable(shape);
      assertThat(table.read(rows, 1)).isNull();
      routing = routings[OWN];
      arrangement = new Arrangement(shape, OWN);
      arrangement.compute(table);
      MoeMemory memory = shape.memory(OWN);
      returned = Arena.ofAuto().allocate(memory.length(MoeMemory.Section.RETURNED), 16);
      results = Arena.ofAuto().allocate(memory.length(MoeMemory.Section.RESULTS), 16);
      places = new ResultPlaces(shape, OWN, routing, arrangement, returned, results);
    }
  }

  /** Any bits, so also what is no number, or infinite, or tiny. */
  @ParameterizedTest
  @CsvSource({
    "BF16,BF16,1", "BF16,BF16,2", "BF16,BF16,8191", "BF16,BF16,8192", "BF16,BF16,8193",
    "BF16,BF16,17000", "BF16,FP32,8193", "BF16,FP16,16386", "FP16,BF16,8195", "FP16,FP16,8192",
    "FP16,FP32,7", "FP32,BF16,8194", "FP32,FP16,9", "FP32,FP32,16385"
  })
  void areTheSameBits(FloatType from, FloatType to, int hidden) {
    MoeShape shape = shape(from, to, hidden);
    int[] experts = new int[TOKENS * TOP_K];
    for (int i = 0; i < experts.length; i++) {
      experts[i] = (i / TOP_K + i) % EXPERTS;
    }
    Results all = new Results(shape, TOKENS, experts);
    float[] weights = new float[experts.length];
    for (int i = 0; i < weights.length; i++) {
      weights[i] = random.nextFloat() * 4 - 2;
    }
    fill(all.returned);
    fill(all.results);
    long stride = shape.sumBytes() + 6;
    MemorySegment sums = Arena.ofAuto().allocate(TOKENS * stride, 2);
    new WeightedSums(shape).sum(all.places, weights, 0, TOKENS, sums, stride);
    MemorySegment one = Arena.ofAuto().allocate(4);
    for (int token = 0; token < TOKENS; token++) {
      for (int i = 0; i < hidden; i++) {
        float sum = 0;
        for (int pair = token * TOP_K; pair < (token + 1) * TOP_K; pair++) {
          boolean isOwn = shape.placement().rankOf(experts[pair]) == OWN;
          int place = all.routing.place(pair);
          int row = isOwn ? all.arrangement.rowOfOwn(place) : place;
          long at = row * shape.resultStride() + (long) i * from.bytes();
          sum += weights[pair] * from.get(isOwn ? all.results : all.returned, at);
        }
        to.set(one, 0, sum);
        float got = to.get(sums, token * stride + (long) i * to.bytes());
        if (Float.isNaN(to.get(one, 0))) {
          assertThat(got).as("number %s of token %s", i, token).isNaN();
        } else {
          assertThat(Float.floatToRawIntBits(got))
              .as("number %s of token %s", i, token)
              .isEqualTo(Float.floatToRawIntBits(to.get(one, 0)));
        }
      }
    }
  }

  private void fill(MemorySegment memory) {
    byte[] bits = new byte[Math.toIntExact(memory.byteSize())];
    random.nextBytes(bits);
    memory.copyFrom(MemorySegment.ofArray(bits));
  }

  /** Halfway cases, and the largest. */
  @Test
  void pairsAreRoundedAsSingleNumbersAre() {
    MoeShape shape = shape(FloatType.BF16, FloatType.BF16, 2);
    Results all = new Results(shape, 1, new int[] {0, 1, 2});
    MemorySegment sums = Arena.ofAuto().allocate(4);
    MemorySegment one = Arena.ofAuto().allocate(2);
    WeightedSums weighted = new WeightedSums(shape);
    for (int i = 0; i < 100_000; i++) {
      float weight = Float.intBitsToFloat(random.nextInt());
      if (!Float.isFinite(weight)) {
        continue;
      }
      for (int pair = 0; pair < TOP_K; pair++) {
        MemorySegment memory = all.places.memory(pair);
        FloatType.BF16.set(memory, all.places.at(pair), pair == 0 ? 1 : 0);
        FloatType.BF16.set(memory, all.places.at(pair) + 2, pair == 1 ? -1 : 0);
      }
      weighted.sum(all.places, new float[] {weight, weight, 0}, 0, 1, sums, 4);
      FloatType.BF16.set(one, 0, weight);
      assertThat(FloatType.BF16.get(sums, 0)).isEqualTo(FloatType.BF16.get(one, 0));
      FloatType.BF16.set(one, 0, -weight);
      assertThat(FloatType.BF16.get(sums, 2)).isEqualTo(FloatType.BF16.get(one, 0));
    }
  }
}
