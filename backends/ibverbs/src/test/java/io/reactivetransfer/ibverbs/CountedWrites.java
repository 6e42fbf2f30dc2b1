package io.reactivetransfer.ibverbs;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.Imm;
import io.reactivetransfer.MemoryRegion;
import io.reactivetransfer.Outcome;
import io.reactivetransfer.RemoteRegion;
import io.reactivetransfer.TransferEngine;
import io.reactivetransfer.TransferException;
import io.reactivetransfer.WriteImm;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * Writes of mixed sizes from memory of one engine to that of another, and a check that every byte
 * came and every write was counted once. Groups of writes have an immediate in common. Where one of
 * a group has failed, the group is written again under another immediate, as the specification asks
 * for after a failure that leaves a count in doubt.
 */
final class CountedWrites {

  private static final int GROUP = 50;

  /** Sizes are drawn from 1 to one of these: one packet or less that is copied, one, several. */
  private static final int[] LONGEST = {64, 64, 4_096, 4_096, 65_536};

  /** Before what failed is written again: a way that was lost is tried again after a while only. */
  private static final Duration PAUSE = Duration.ofMillis(200);

  /** One write: where, how long. */
  private record Place(long offset, long length) {}

  private final TransferEngine from;
  private final TransferEngine to;
  private final MemorySegment source;
  private final MemorySegment target;
  private final MemoryRegion sourceRegion;
  private final RemoteRegion remote;
  private final List<List<Place>> groups = new ArrayList<>();
  private final AtomicInteger done = new AtomicInteger();
  private int nextImm = 1;

  /** So many writes in each round, a multiple of the size of a group. */
  CountedWrites(CabledEngines engines, TransferEngine from, TransferEngine to, int count) {
    this.from = from;
    this.to = to;
    Random random = new Random(count);
    long end = 0;
    for (int i = 0; i < count; i++) {
      if (i % GROUP == 0) {
        groups.add(new ArrayList<>());
      }
      long length = 1 + random.nextInt(LONGEST[random.nextInt(LONGEST.length)]);
      groups.getLast().add(new Place(end, length));
      end += length;
    }
    source = engines.allocate(end);
    target = engines.allocate(end);
    for (long i = 0; i < end; i++) {
      source.set(ValueLayout.JAVA_BYTE, i, (byte) random.nextInt());
    }
    sourceRegion = CabledEngines.register(from, source);
    remote = from.remote(CabledEngines.register(to, target).descriptor());
  }

  /** How many are done in all. */
  int done() {
    return done.get();
  }

  /**
   * Writes all of them, those of groups that failed again until none does, and checks what came.
   * Gives the failures that there were, of each text one.
   */
  Mono<Map<String, TransferException>> round() {
    return Mono.defer(
            () -> {
              target.fill((byte) 0);
              Map<String, TransferException> failures = new LinkedHashMap<>();
              return write(groups, failures).thenReturn(failures);
            })
        .doOnNext(_ -> assertThat(source.mismatch(target)).as("first wrong byte").isEqualTo(-1));
  }

  private Mono<Void> write(List<List<Place>> wanted, Map<String, TransferException> failures) {
    Map<Imm, List<Place>> sent = new LinkedHashMap<>();
    wanted.forEach(group -> sent.put(Imm.of(nextImm++), group));
    return from.submitEach(
            Flux.fromIterable(sent.entrySet())
                .concatMapIterable(group ->
                    group.getValue().stream().map(place -> write(place, group.getKey())).toList()))
        .doOnNext(outcome -> {
          if (outcome.failure() == null) {
            done.incrementAndGet();
          } else {
            failures.putIfAbsent(outcome.failure().getMessage(), outcome.failure());
          }
        })
        .filter(outcome -> !outcome.isDone())
        .map(Outcome::transfer)
        .map(WriteImm::imm)
        .collect(Collectors.toSet())
        .flatMap(inDoubt ->
            count(sent, inDoubt)
                .then(
                    inDoubt.isEmpty()
                        ? Mono.empty()
                        : Mono.delay(PAUSE)
                            .then(write(inDoubt.stream().map(sent::get).toList(), failures))));
  }

  /**
   * Who counted too many: Soft-RoCE of Linux 6.1 was seen to complete one write twice at its
   * target, where it had sent it again because the acknowledgement was late.
   */
  private String cards() {
    return from.stats().nics()
        + " of the origin, "
        + to.stats().nics()
        + " of the target, receives that each card ever completed "
        + Cables.received();
  }

  private WriteImm write(Place place, Imm imm) {
    return WriteImm.of(
        sourceRegion.slice(place.offset(), place.length()),
        remote.slice(place.offset(), place.length()),
        imm);
  }

  /** What was done is claimed, after which nothing is left over; what is in doubt is forgotten. */
  private Mono<Void> count(Map<Imm, List<Place>> sent, Set<Imm> inDoubt) {
    return Flux.fromIterable(sent.entrySet())
        .concatMap(group -> {
          Imm imm = group.getKey();
          Mono<Long> rest = to.counter(imm).discard();
          return inDoubt.contains(imm)
              ? rest.then()
              : to.counter(imm)
                  .next(group.getValue().size())
                  .then(rest)
                  .doOnNext(left ->
                      assertThat(left).as("arrivals too many under %s; %s", imm, cards()).isZero())
                  .then();
        })
        .then();
  }
}
