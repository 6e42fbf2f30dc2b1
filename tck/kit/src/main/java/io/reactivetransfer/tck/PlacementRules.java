package io.reactivetransfer.tck;

import io.reactivetransfer.AimedWrite;
import io.reactivetransfer.CompletionLevel;
import io.reactivetransfer.GatherList;
import io.reactivetransfer.Imm;
import io.reactivetransfer.PageList;
import io.reactivetransfer.PagedWrite;
import io.reactivetransfer.Scatter;
import io.reactivetransfer.Write;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import reactor.core.publisher.Flux;

/** Chapter 11: bytes come where they belong, and nowhere else. */
abstract class PlacementRules extends RuleGroup {

  PlacementRules(TransferConformance kit) {
    super(kit);
  }

  @ParameterizedTest(name = "{0} NICs")
  @MethodSource("nicCounts")
  final void r11_1_aWriteChangesItsRangeAndNothingElse(int nics) {
    Duo duo = Duo.open(stage(), nics);
    long offset = 3;
    for (long length : new long[] {1, 3, 97, 4_095, 4_097, 20_001, 33_333}) {
      stage().done(duo.origin(), duo.write(offset, length));
      duo.expect(offset, length);
      stage().awaitBytes("after a write of " + length + " bytes to " + offset, duo.to());
      offset += length + 101;
    }
  }

  @ParameterizedTest(name = "{0} NICs")
  @MethodSource("nicCounts")
  final void r11_2_pagesComeInTheOrderOfTheLists(int nics) {
    Duo duo = Duo.open(stage(), nics);
    int pages = 60;
    int length = 96;
    long sourceStride = 128;
    long targetStride = 160;
    int[] from = shuffled(pages, stage().random());
    int[] to = shuffled(pages, stage().random());
    var source =
        new PagedWrite.Side<>(duo.source(0, pages * sourceStride), PageList.of(from), sourceStride);
    var target =
        new PagedWrite.Side<>(duo.sink(640, pages * targetStride), PageList.of(to), targetStride);
    stage().done(duo.origin(), PagedWrite.of(length, source, target, null));
    for (int i = 0; i < pages; i++) {
      duo.to()
          .expectCopy(
              640 + to[i] * targetStride,
              duo.from(),
              duo.source(from[i] * sourceStride, length).offset(),
              length);
    }
    stage().awaitBytes("after " + pages + " shuffled pages", duo.to());
  }

  private static int[] shuffled(int count, Random random) {
    List<Integer> all = new ArrayList<>(IntStream.range(0, count).boxed().toList());
    Collections.shuffle(all, random);
    return all.stream().mapToInt(Integer::intValue).toArray();
  }

  @ParameterizedTest(name = "{0} NICs")
  @MethodSource("nicCounts")
  final void r11_8_rowsComeToTheirRowsAndTheGapsStay(int nics) {
    for (int maxRows : new int[] {1, 5, Integer.MAX_VALUE}) {
      Duo duo = Duo.open(stage(), nics, new Valve().rows(maxRows));
      for (Grid grid :
          List.of(
              Grid.of(duo, 3, 7, 1),
              Grid.of(duo, 5, 16, 96),
              Grid.of(duo, 2, 9, 4_096),
              Grid.interleaved(duo, 6, 12, 64),
              Grid.interleaved(duo, 1, 100, 5))) {
        stage().done(duo.origin(), grid.write(null));
        grid.expect();
        stage().awaitBytes("after " + grid, duo.to());
      }
      duo.from().assertAsExpected("the source of rows");
    }
  }

  @ParameterizedTest(name = "{0} NICs")
  @MethodSource("nicCounts")
  final void r11_9_rowsOfAListComeInItsOrder(int nics) {
    for (int maxRows : new int[] {1, 3, Integer.MAX_VALUE}) {
      Duo duo = Duo.open(stage(), nics, new Valve().rows(maxRows));
      boolean delivers = duo.origin().completionLevel() == CompletionLevel.DELIVERED;
      Imm imm = stage().imm();
      AimedWrite write = AimedWrite.between(duo.from().region(), duo.view(), imm);
      for (GatherList list :
          List.of(
              GatherList.of(16, 16, 16), GatherList.of(7, 30, 12), GatherList.of(600, 500, 700))) {
        for (int size : delivers ? new int[] {2, 8, 9, 40} : new int[] {2, 8}) {
          int[] rows = stage().random().ints(size, 0, 60).toArray();
          rows[0] = 50; // in no order, and one of them twice
          rows[1] = rows[size - 1];
          Probe<Void> claim = stage().claim(duo.target(), imm, 1);
          list.clear();
          Arrays.stream(rows).forEach(list::add);
          long from = duo.source(100, 1).offset();
          stage().done(duo.origin(), write.aim(list, from, 640));
          list.clear().addRange(0, size); // it is its owner's again
          for (int i = 0; i < size; i++) {
            long row = from + rows[i] * list.sourceStride();
            duo.to().expectCopy(640 + i * list.targetStride(), duo.from(), row, list.rowLength());
          }
          claim.awaitCompletion();
          stage().awaitBytes("after rows of a list, " + list, duo.to());
        }
      }
      duo.from().assertAsExpected("the source of rows of a list");
      stage()
          .patience()
          .until("nothing unclaimed", () -> duo.target().stats().unclaimedImms() == 0);
    }
  }

  @Test
  final void r11_3_eachPartOfAScatterComesToItsTarget() {
    Duo one = Duo.open(stage(), 2);
    Duo two = Duo.of(stage(), one.origin(), stage().open(2));
    List<Scatter.Part> parts = new ArrayList<>();
    for (int i = 0; i < 6; i++) {
      Duo duo = i % 2 == 0 ? one : two;
      long from = (5 - i) * 200L;
      parts.add(new Scatter.Part(one.from().slice(from, 128), duo.sink(i * 150L, 128)));
      duo.to().expectCopy(i * 150L, one.from(), from, 128);
    }
    stage().done(one.origin(), new Scatter(parts, null));
    stage().awaitBytes("at the first target of a scatter", one.to());
    stage().awaitBytes("at the second target of a scatter", two.to());
  }

  @ParameterizedTest(name = "{0} NICs")
  @MethodSource("nicCounts")
  final void r11_4_aRegionCanBeWrittenToItsVeryEnds(int nics) {
    Duo duo = Duo.open(stage(), nics);
    for (long length : new long[] {2, 64, 4_096, Duo.SIZE}) {
      stage().done(duo.origin(), duo.write(0, length));
      duo.expect(0, length);
      stage().done(duo.origin(), duo.write(Duo.SIZE - length, length));
      duo.expect(Duo.SIZE - length, length);
      stage().awaitBytes("after a write of " + length + " bytes to both ends", duo.to());
    }
  }

  @Test
  final void r11_5_aWriteOfNothingChangesNothing() {
    Duo duo = Duo.open(stage(), 2);
    for (long offset : new long[] {0, 1, 5_000, Duo.SIZE - 1, Duo.SIZE}) {
      stage().done(duo.origin(), duo.write(offset, 0));
      stage()
          .done(
              duo.origin(),
              Scatter.of(null, new Scatter.Part(duo.source(0, 0), duo.sink(offset, 0))));
    }
    duo.to().assertAsExpected("after writes of 0 bytes");
    duo.from().assertAsExpected("the source, after writes of 0 bytes");
  }

  @Test
  final void r11_6_manyWritesAtOnceDoNotMix() {
    Duo duo = Duo.open(stage(), 2);
    int count = 1_000;
    int[] order = shuffled(count, stage().random());
    List<Write> writes =
        Arrays.stream(order)
            .mapToObj(i -> Write.of(duo.source(i * 96L, 80), duo.sink((count - i) * 96L, 80)))
            .toList();
    stage().probe("writes", duo.origin().submit(Flux.fromIterable(writes))).awaitCompletion();
    for (int i = 0; i < count; i++) {
      duo.to().expectCopy((count - i) * 96L, duo.from(), duo.source(i * 96L, 80).offset(), 80);
    }
    stage().awaitBytes("after " + count + " writes", duo.to());
  }

  @Test
  final void r11_7_aWriteLeavesItsSourceAlone() {
    Duo duo = Duo.open(stage(), 1);
    for (long length : new long[] {1, 24, 4_096, 50_000}) {
      stage().done(duo.origin(), duo.write(200, length));
      duo.from().assertAsExpected("the source of a write of " + length + " bytes");
    }
  }
}
