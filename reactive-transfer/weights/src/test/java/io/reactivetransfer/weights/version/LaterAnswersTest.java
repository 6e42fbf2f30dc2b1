package io.reactivetransfer.weights.version;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.Imm;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import org.junit.jupiter.api.Test;

/** A rank that did not hear how an update ended, and asks when others have gone on without it. */
class LaterAnswersTest implements ControllerMachine.Actions {

  private final Queue<Runnable> turns = new ArrayDeque<>();
  private final Map<String, RankMachine<String>> ranks = new LinkedHashMap<>();
  private final List<UpdateResult> results = new ArrayList<>();
  private final ControllerMachine controller = new ControllerMachine(7, this);

  /** The rank that hears no commit. */
  private String deaf = "";

  private final class Rank implements RankMachine.Actions<String> {
    private final String name;

    Rank(String name) {
      this.name = name;
    }

    private RankMachine<String> me() {
      return ranks.get(name);
    }

    @Override
    public void stopLeases() {
      turns.add(() -> me().drained(0));
      turns.add(() -> me().drained(1));
    }

    @Override
    public void resumeLeases() {
      // Nobody reads here.
    }

    @Override
    public void serve(UpdateNumber update, long version, int buffer) {
      // Nobody reads here.
    }

    @Override
    public void open(UpdateNumber update, int buffer, long arrivals) {
      turns.add(() -> me().opened(update, new RankTarget(name, List.of(), new Imm(1), arrivals)));
    }

    @Override
    public void seal(int buffer) {
      turns.add(() -> me().sealed(buffer));
    }

    @Override
    public void report(String to, Report report) {
      turns.add(() -> controller.report(report));
    }
  }

  LaterAnswersTest() {
    for (int i = 0; i < 3; i++) {
      String name = "rank-" + i;
      ranks.put(name, new RankMachine<>(new MemberId(name, i + 1), 2, new Rank(name)));
    }
  }

  @Override
  public void send(String rank, Command command) {
    if (!(rank.equals(deaf) && command instanceof Command.Commit)) {
      turns.add(() -> ranks.get(rank).receive(command, "controller"));
    }
  }

  @Override
  public void startTrainers(UpdateNumber update, List<RankTarget> targets) {
    targets.forEach(target -> turns.add(() -> ranks.get(target.rank()).filled(update)));
  }

  @Override
  public void stopTrainers() {
    // They write at once.
  }

  @Override
  public void done(UpdateResult result) {
    results.add(result);
  }

  private void update(String... names) {
    Map<String, Long> arrivals = new LinkedHashMap<>();
    for (String name : names) {
      arrivals.put(name, 1L);
    }
    controller.update(new ControllerMachine.Plan(1, UpdateMode.TWO_BUFFERS_OUTLIVE, arrivals));
    run();
  }

  private void run() {
    while (!turns.isEmpty()) {
      turns.remove().run();
    }
  }

  @Test
  void isTold() {
    deaf = "rank-2";
    update("rank-0", "rank-1", "rank-2");
    controller.lost(deaf);
    assertThat(results).singleElement().matches(UpdateResult::isFlipped);
    assertThat(results.getFirst().isConfirmed()).isFalse();
    update("rank-0", "rank-1");
    assertThat(results.get(1).isFlipped()).isTrue();
    RankMachine<String> late = ranks.get(deaf);
    assertThat(late.state()).isEqualTo(RankState.UNDECIDED);
    deaf = "";
    late.tick();
    run();
    assertThat(late.state()).isEqualTo(RankState.SERVING);
    assertThat(late.report().update()).isEqualTo(results.getFirst().update());
  }

  /** Whoever may be a controller may be the last one: that is said, and nobody waits in vain. */
  @Test
  void nobodyCanReplaceAControllerWhoseTermIsTheLast() {
    ranks.get("rank-1").receive(new Command.Query(new Term(Long.MAX_VALUE, -1), 1), "controller");
    run();
    controller.recover(List.of("rank-0", "rank-1"));
    run();
    assertThat(results)
        .singleElement()
        .matches(result -> result.decision() == UpdateResult.Decision.SUPERSEDED)
        .extracting(UpdateResult::reason)
        .asString()
        .startsWith("rank rank-1 obeys a controller whose term is the last one");
  }
}
