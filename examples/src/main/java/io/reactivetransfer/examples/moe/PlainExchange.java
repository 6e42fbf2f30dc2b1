package io.reactivetransfer.examples.moe;

import io.reactivetransfer.Imm;
import io.reactivetransfer.ImmLease;
import io.reactivetransfer.MemoryRegion;
import io.reactivetransfer.MemorySlice;
import io.reactivetransfer.RegionDescriptor;
import io.reactivetransfer.RemoteRegion;
import io.reactivetransfer.Transfer;
import io.reactivetransfer.WriteImm;
import io.reactivetransfer.moe.MoeMemory;
import io.reactivetransfer.moe.MoeMemory.Section;
import io.reactivetransfer.moe.MoeShape;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * What a step is compared with: the same bytes between the same ranks, from the same memory to the
 * same memory by the same engine, in one write for each pair of ranks and each way. Nothing is
 * routed, copied or summed up.
 */
final class PlainExchange {

  private static final int WAYS = 2;

  private final Plan plan;
  private final Node node;
  private final MoeShape shape;
  private final int rank;
  private final MemoryRegion region;
  private final ImmLease lease;
  private List<List<List<Transfer>>> writes = List.of();

  /** Of memory in which no step of a group is under way meanwhile. */
  PlainExchange(Plan plan, Node node, MoeShape shape, int rank, MemorySegment memory) {
    this.plan = plan;
    this.node = node;
    this.shape = shape;
    this.rank = rank;
    this.region = Node.await(node.engine.register(memory));
    this.lease = node.engine.lease(WAYS);
  }

  /** What others need to write here. */
  String toLine() {
    return lease.imm(0).value()
        + ":"
        + lease.imm(1).value()
        + ":"
        + Base64.getEncoder().encodeToString(region.descriptor().toBytes());
  }

  /**
   * Makes all writes.
   *
   * @param ranks what each rank has said of itself
   * @param steps the numbers of the steps whose bytes are written in turn
   */
  void open(List<String> ranks, List<Integer> steps) {
    List<Target> targets = ranks.stream().map(this::target).toList();
    writes = steps.stream().map(step -> writes(step, targets)).toList();
  }

  private record Target(Imm out, Imm back, RemoteRegion region) {}

  private Target target(String line) {
    String[] parts = line.split(":", -1);
    return new Target(
        Imm.of(Integer.parseInt(parts[0])),
        Imm.of(Integer.parseInt(parts[1])),
        node.engine.remote(RegionDescriptor.fromBytes(Base64.getDecoder().decode(parts[2]))));
  }

  /** Those of one step: on the way out, and on the way back. */
  private List<List<Transfer>> writes(int step, List<Target> targets) {
    int ranks = shape.ranks();
    int[][] pairs = new int[ranks][];
    for (int from = 0; from < ranks; from++) {
      pairs[from] = Routing.of(plan, step, from, ranks).pairs(shape.placement());
    }
    List<Transfer> out = new ArrayList<>();
    List<Transfer> back = new ArrayList<>();
    long token = shape.tokenStride();
    long result = shape.resultStride();
    for (int other = 0; other < ranks; other++) {
      if (other == rank) {
        continue;
      }
      Target to = targets.get(other);
      MoeMemory there = shape.memory(other);
      // On the way out in send order, into what each rank gets, one group behind the other.
      long sent = before(pairs[rank], other);
      long got =
          gotBefore(pairs, rank, other)
              - (plan.inPlace() && other < rank ? pairs[other][other] : 0);
      out.add(
          WriteImm.of(
              slice(Section.SEND, sent * token, pairs[rank][other] * token),
              to.region().slice(gotAt(there) + got * token, pairs[rank][other] * token),
              to.out()));
      // And on the way back from blocks of each group to where its tokens came from.
      back.add(
          WriteImm.of(
              slice(
                  Section.BLOCKS,
                  gotBefore(pairs, other, rank) * result,
                  pairs[other][rank] * result),
              to.region()
                  .slice(
                      there.offset(0, Section.RETURNED) + before(pairs[other], rank) * result,
                      pairs[other][rank] * result),
              to.back()));
    }
    return List.of(out, back);
  }

  private MemorySlice slice(Section section, long offset, long bytes) {
    return region.slice(shape.memory(rank).offset(0, section) + offset, bytes);
  }

  private static long before(int[] pairs, int rank) {
    return Arrays.stream(pairs, 0, rank).sum();
  }

  /** Where a rank's experts take tokens; in place, from all other groups together. */
  private long gotAt(MoeMemory there) {
    return there.offset(0, plan.inPlace() ? Section.PRIVATE : Section.TOKENS);
  }

  /** How many pairs of groups before this one a rank gets. */
  private static long gotBefore(int[][] pairs, int from, int rank) {
    long got = 0;
    for (int group = 0; group < from; group++) {
      got += pairs[group][rank];
    }
    return got;
  }

  /** Times exchanges, one after the other; one more before them is not. */
  Mono<long[]> run(int count) {
    return Mono.defer(() -> {
      long[] nanos = new long[count + 1];
      List<Mono<Void>> sent = new ArrayList<>();
      return Flux.range(0, count + 1)
          .concatMap(i -> {
            long began = System.nanoTime();
            List<List<Transfer>> step = writes.get(i % writes.size());
            return way(0, step, sent)
                .then(Mono.defer(() -> way(1, step, sent)))
                .doOnSuccess(done -> nanos[i] = System.nanoTime() - began);
          })
          .then(Mono.defer(() -> Mono.when(sent)))
          .then(Mono.fromSupplier(() -> Arrays.copyOfRange(nanos, 1, nanos.length)));
    });
  }

  /** Completes when what others write has come; what this rank writes is waited for at the end. */
  private Mono<Void> way(int way, List<List<Transfer>> step, List<Mono<Void>> sent) {
    return Mono.defer(() -> {
      sent.add(
          StepLoop.begun(
              Flux.from(node.engine.submit(Flux.fromIterable(step.get(way)), plan.deadline()))
                  .then()));
      return lease.counter(way).within(plan.deadline()).next(shape.ranks() - 1);
    });
  }

  /** Gives back what it has. */
  void close() {
    region.close().block(Node.SETUP);
    lease.close();
  }
}
