package io.reactivetransfer.moe;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Random;
import jdk.incubator.vector.IntVector;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

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
    final MemorySegment memory;
    final long returned;
    final long results;
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
      this.memory = Arena.ofAuto().allocate(memory.bytes(), 16);
      returned = memory.offset(0, MoeMemory.Section.RETURNED);
      results = memory.offset(0, MoeMemory.Section.RESULTS);
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
    areTheSameBits(from, to, hidden, false);
  }

  /** Lengths that fill vectors and that do not; there are others for some kinds only. */
  @ParameterizedTest
  @CsvSource({
    "BF16,BF16,1", "BF16,BF16,63", "BF16,BF16,64", "BF16,BF16,193", "BF16,BF16,1026",
    "BF16,FP32,31", "BF16,FP32,32", "BF16,FP32,515", "FP32,FP32,33", "FP32,FP32,256",
    "FP32,FP32,1027", "BF16,FP16,70", "FP16,BF16,70", "FP32,BF16,70"
  })
  void areTheSameBitsByVectors(FloatType from, FloatType to, int hidden) {
    areTheSameBits(from, to, hidden, true);
  }

  private void areTheSameBits(FloatType from, FloatType to, int hidden, boolean areVectors) {
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
    fill(all.memory);
    long stride = shape.sumBytes() + 6;
    MemorySegment sums = Arena.ofAuto().allocate(TOKENS * stride, 2);
    new WeightedSums(shape, () -> areVectors)
        .sum(all.memory, all.places, weights, 0, TOKENS, sums, stride);
    MemorySegment one = Arena.ofAuto().allocate(4);
    for (int token = 0; token < TOKENS; token++) {
      for (int i = 0; i < hidden; i++) {
        float sum = 0;
        for (int pair = token * TOP_K; pair < (token + 1) * TOP_K; pair++) {
          boolean isOwn = shape.placement().rankOf(experts[pair]) == OWN;
          int place = all.routing.place(pair);
          int row = isOwn ? all.arrangement.rowOfOwn(place) : place;
          long first = isOwn ? all.results : all.returned;
          long at = first + row * shape.resultStride() + (long) i * from.bytes();
          sum += weights[pair] * from.get(all.memory, at);
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

  /** Loops by vectors are for one kind of memory only. */
  @Test
  void sumsInTheHeapAreTheSame() {
    MoeShape shape = shape(FloatType.BF16, FloatType.BF16, 70);
    Results all = new Results(shape, 1, new int[] {0, 1, 2});
    fill(all.memory);
    MemorySegment expected = Arena.ofAuto().allocate(140);
    MemorySegment got = MemorySegment.ofArray(new byte[140]);
    float[] weights = {1, -1, 0.5f};
    new WeightedSums(shape, () -> false).sum(all.memory, all.places, weights, 0, 1, expected, 140);
    new WeightedSums(shape, () -> true).sum(all.memory, all.places, weights, 0, 1, got, 140);
    assertThat(got.mismatch(expected)).isEqualTo(-1);
  }

  private void fill(MemorySegment memory) {
    byte[] bits = new byte[Math.toIntExact(memory.byteSize())];
    random.nextBytes(bits);
    memory.copyFrom(MemorySegment.ofArray(bits));
  }

  /** Halfway cases, and the largest. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void pairsAreRoundedAsSingleNumbersAre(boolean areVectors) {
    int hidden = areVectors ? 4 * IntVector.SPECIES_PREFERRED.length() : 2;
    MoeShape shape = shape(FloatType.BF16, FloatType.BF16, hidden);
    Results all = new Results(shape, 1, new int[] {0, 1, 2});
    MemorySegment sums = Arena.ofAuto().allocate(2L * hidden);
    MemorySegment one = Arena.ofAuto().allocate(2);
    WeightedSums weighted = new WeightedSums(shape, () -> areVectors);
    for (int i = 0; i < (areVectors ? 10_000 : 100_000); i++) {
      float weight = Float.intBitsToFloat(random.nextInt());
      if (!Float.isFinite(weight)) {
        continue;
      }
      for (int pair = 0; pair < TOP_K; pair++) {
        FloatType.BF16.set(all.memory, all.places.at(pair), pair == 0 ? 1 : 0);
        FloatType.BF16.set(all.memory, all.places.at(pair) + 2, pair == 1 ? -1 : 0);
      }
      weighted.sum(
          all.memory, all.places, new float[] {weight, weight, 0}, 0, 1, sums, 2L * hidden);
      FloatType.BF16.set(one, 0, weight);
      assertThat(FloatType.BF16.get(sums, 0)).isEqualTo(FloatType.BF16.get(one, 0));
      FloatType.BF16.set(one, 0, -weight);
      assertThat(FloatType.BF16.get(sums, 2)).isEqualTo(FloatType.BF16.get(one, 0));
    }
  }
}
