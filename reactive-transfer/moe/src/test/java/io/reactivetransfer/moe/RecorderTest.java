package io.reactivetransfer.moe;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.lang.foreign.MemorySegment;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** What a recorder is told of groups and steps, behind one that throws whatever it is told. */
class RecorderTest {

  /** Four experts on two ranks, each token to two of them; a rank has one private slot for it. */
  private static MoeShape.Builder shape() {
    return MoeShape.builder(ExpertPlacement.even(2, 4), 2, 8, 16, 4).privateTokens(1);
  }

  private final List<String> told = new CopyOnWriteArrayList<>();
  private final List<MoeRecorder.StepEnd> ends = new CopyOnWriteArrayList<>();
  private final AtomicInteger thrown = new AtomicInteger();

  private final MoeRecorder careless =
      new MoeRecorder() {
        private void fail() {
          thrown.incrementAndGet();
          throw new Unspeakable();
        }

        @Override
        public void opened(MoeGroup group) {
          fail();
        }

        @Override
        public void closed(MoeGroup group) {
          fail();
        }

        @Override
        public void groupFailed(MoeGroup group, GroupFailedException reason) {
          fail();
        }

        /** One that throws, too. */
        @Override
        public StepRecorder stepBegun(StepBegin begin) {
          return new StepRecorder() {
            @Override
            public void ended(StepEnd end) {
              fail();
            }
          };
        }
      };

  private final MoeRecorder teller =
      new MoeRecorder() {
        @Override
        public void opened(MoeGroup group) {
          told.add("opened " + group.rank());
        }

        @Override
        public void closed(MoeGroup group) {
          told.add("closed " + group.rank());
        }

        @Override
        public void groupFailed(MoeGroup group, GroupFailedException reason) {
          told.add("failed " + group.rank());
        }

        @Override
        public StepRecorder stepBegun(StepBegin begin) {
          int rank = begin.group().rank();
          told.add("begun " + rank);
          return new StepRecorder() {
            @Override
            public void ended(StepEnd end) {
              assertThat(end.lane()).isEqualTo(begin.lane());
              assertThat(end.tokens()).isEqualTo(begin.tokens());
              if (rank == 0) {
                ends.add(end);
              }
              told.add("ended " + rank);
            }
          };
        }
      };

  private Rig rig(Cluster cluster, MoeShape shape) {
    MoeRecorder both = careless.andThen(teller);
    return new Rig(
        cluster,
        shape,
        MoeOptions.builder().closeTimeout(Rig.OPTIONS.closeTimeout()).recorder(both).build());
  }

  private void closeAll(Rig rig) {
    Flux.fromIterable(rig.groups).flatMap(MoeGroup::close).then().block(Cluster.PATIENCE);
  }

  /** Three tokens of each rank, all of which go to the two experts of rank 1. */
  private static Mono<Void> step(Rig rig, int rank) {
    return Mono.defer(() ->
        rig.groups
            .get(rank)
            .lane(0)
            .begin(3, new int[] {2, 3, 2, 3, 2, 3}, new float[6])
            .run(
                MemorySegment.ofArray(new byte[3 * 16]),
                batch -> Mono.empty(),
                MemorySegment.ofArray(new byte[Math.toIntExact(3 * rig.shape.sumBytes())])));
  }

  @Test
  void aStepIsToldWithWhatItCarriedAndItsParts() {
    try (Cluster cluster = Cluster.loopback(2);
        Rig rig = rig(cluster, shape().build())) {
      Mono.when(step(rig, 0), step(rig, 1)).block(Cluster.PATIENCE);
      Mono.when(step(rig, 0), step(rig, 1)).block(Cluster.PATIENCE);
      await()
          .atMost(Cluster.PATIENCE)
          .until(() -> told.stream().filter("ended 1"::equals).count() == 2);
      closeAll(rig);
      await().atMost(Cluster.PATIENCE).until(() -> told.contains("closed 0"));
    }
    assertThat(told)
        .containsSubsequence("opened 0", "begun 0", "ended 0", "begun 0", "ended 0", "closed 0")
        .containsSubsequence("opened 1", "begun 1", "ended 1", "begun 1", "ended 1", "closed 1")
        .hasSize(12);
    assertThat(thrown).hasValue(8); // of all but the beginnings
    assertThat(ends)
        .hasSize(2)
        .allSatisfy(end -> {
          assertThat(end.failure()).isNull();
          assertThat(end.lane()).isZero();
          assertThat(end.tokens()).isEqualTo(3);
          assertThat(end.received()).isZero();
          assertThat(end.overflow()).isEqualTo(5);
          assertThat(end.duration())
              .isEqualTo(end.dispatch().plus(end.experts()).plus(end.combine()));
        });
  }

  @Test
  void aStepThatIsRefusedIsNoFailureOfItsGroup() {
    try (Cluster cluster = Cluster.loopback(2);
        Rig rig = rig(cluster, shape().maxReceived(7).build())) {
      for (int rank = 0; rank < 2; rank++) {
        step(rig, rank).subscribe(null, refused -> {});
      }
      await()
          .atMost(Cluster.PATIENCE)
          .until(() -> told.contains("ended 0") && told.contains("ended 1"));
      closeAll(rig);
    }
    assertThat(ends)
        .singleElement()
        .satisfies(end -> {
          assertThat(end.failure()).isInstanceOf(StepRefusedException.class);
          assertThat(end.dispatch()).isNull();
          assertThat(end.combine()).isNull();
          assertThat(end.overflow()).isZero();
        });
    assertThat(told).doesNotContain("failed 0", "failed 1");
  }

  @Test
  void whatFailsIsToldOnceOnEachRank() {
    try (Cluster cluster = Cluster.loopback(2);
        Rig rig = rig(cluster, shape().build())) {
      MoeStep begun = rig.groups.get(0).lane(0).begin(0, new int[0], new float[0]);
      Mono<Void> sent = begun.dispatchSend(MemorySegment.ofArray(new byte[0]));
      sent.subscribe(null, failure -> {});
      begun.giveUp("a test wants it");
      await()
          .atMost(Cluster.PATIENCE)
          .until(() -> told.contains("failed 0") && told.contains("failed 1"));
      closeAll(rig);
    }
    assertThat(ends)
        .singleElement()
        .matches(end -> end.failure() instanceof GroupFailedException && end.combine() == null);
    assertThat(told)
        .containsSubsequence("begun 0", "ended 0", "failed 0", "closed 0")
        .containsSubsequence("opened 1", "failed 1", "closed 1")
        .hasSize(8);
  }

  @Test
  void everythingIsHandedOnToBothOfAChain() {
    assertThat(MoeRecorder.NONE.andThen(teller)).isSameAs(teller);
    assertThat(teller.andThen(MoeRecorder.NONE).andThen(teller)).isSameAs(teller);
    List<Method> heard = new CopyOnWriteArrayList<>();
    MoeRecorder.StepRecorder ofStep = listening(MoeRecorder.StepRecorder.class, heard, null);
    MoeRecorder chain = careless.andThen(listening(MoeRecorder.class, heard, ofStep));
    assertThatThrownBy(() -> chain.opened(null)).isInstanceOf(NoClassDefFoundError.class);
    assertThatThrownBy(() -> chain.closed(null)).isInstanceOf(NoClassDefFoundError.class);
    assertThatThrownBy(() -> chain.groupFailed(null, null))
        .isInstanceOf(NoClassDefFoundError.class);
    MoeRecorder.StepRecorder both = chain.stepBegun(null);
    assertThatThrownBy(() -> both.ended(null)).isInstanceOf(NoClassDefFoundError.class);
    assertThat(thrown).hasValue(4);
    assertThat(heard)
        .extracting(Method::getName)
        .containsExactly("opened", "closed", "groupFailed", "stepBegun", "ended");
    // There is nothing else to tell.
    assertThat(MoeRecorder.class.getDeclaredMethods()).filteredOn(Method::isDefault).hasSize(5);
    assertThat(MoeRecorder.StepRecorder.class.getDeclaredMethods())
        .filteredOn(Method::isDefault)
        .hasSize(1);
  }

  /** Who returns nothing is not told of the end, and the other one is. */
  @Test
  void whatBeginsWronglyIsNobodyElsesMatter() {
    List<Method> heard = new CopyOnWriteArrayList<>();
    MoeRecorder nothing = listening(MoeRecorder.class, heard, null);
    MoeRecorder.StepRecorder ofStep = listening(MoeRecorder.StepRecorder.class, heard, null);
    MoeRecorder sound = listening(MoeRecorder.class, heard, ofStep);
    assertThat(nothing.andThen(sound).stepBegun(null)).isSameAs(ofStep);
    assertThat(sound.andThen(nothing).stepBegun(null)).isSameAs(ofStep);
    assertThat(heard).hasSize(4);
  }

  /** One that notes what it is told. */
  private static <T> T listening(Class<T> type, List<Method> heard, Object answer) {
    return type.cast(
        Proxy.newProxyInstance(
            RecorderTest.class.getClassLoader(),
            new Class<?>[] {type},
            (proxy, method, arguments) -> {
              if (method.isDefault() && !method.getName().equals("andThen")) {
                heard.add(method);
              }
              return method.getName().equals("andThen")
                  ? InvocationHandler.invokeDefault(proxy, method, arguments)
                  : answer;
            }));
  }

  /** Cannot even be logged. */
  @SuppressWarnings("serial") // nobody writes it down
  private static final class Unspeakable extends NoClassDefFoundError {

    @Override
    public String getMessage() {
      throw new IllegalStateException("thrown by a test, too");
    }
  }
}
