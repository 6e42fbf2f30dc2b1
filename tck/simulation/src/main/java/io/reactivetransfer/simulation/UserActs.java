package io.reactivetransfer.simulation;

import io.reactivetransfer.Imm;
import io.reactivetransfer.ImmCounter;
import io.reactivetransfer.MessageChannel;
import io.reactivetransfer.Peer;
import io.reactivetransfer.PeerState;
import io.reactivetransfer.PeerUnreachableException;
import io.reactivetransfer.TransferEngine;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;

/** What users of engines do, whenever they like. */
final class UserActs {

  private static final long MAX_DELAY_NANOS = 300_000;

  /** So few that claims and transfers meet. */
  private static final int IMMS = 6;

  private static final int FIRST_IMM = Imm.MAX_VALUE - IMMS;

  private UserActs() {}

  /** Does something with an engine that is open, on a thread of its process. */
  private static void withEngine(
      World world,
      SplittableRandom random,
      java.util.function.BiConsumer<Node, TransferEngine> action) {
    Node node = world.pickUp(random);
    if (node != null) {
      node.act(
          0,
          () -> {
            TransferEngine engine = node.engine();
            if (engine != null && !node.isClosing()) {
              action.accept(node, engine);
            }
          });
    }
  }

  private static int imm(SplittableRandom random) {
    return FIRST_IMM + random.nextInt(IMMS);
  }

  static void submit(World world, SplittableRandom random) {
    withEngine(
        world,
        random,
        (node, engine) -> {
          Volley volley = VolleyMaker.make(node, engine, imm(random), random);
          if (volley == null) {
            return;
          }
          boolean hasty = random.nextInt(10) == 0;
          long deadline = hasty ? random.nextLong(1, 2_000_000) : world.forecast().deadlineNanos();
          boolean later = random.nextInt(10) == 0;
          SubmitProbe probe = new SubmitProbe(node, volley, deadline, later ? 0 : Probe.ALL);
          if (hasty) {
            engine.submit(volley.transfer, Duration.ofNanos(deadline)).subscribe(probe);
          } else {
            engine.submit(volley.transfer).subscribe(probe);
          }
          if (later) {
            node.act(random.nextLong(MAX_DELAY_NANOS), () -> probe.request(1));
          }
          maybeCancel(probe, 15, random);
        });
  }

  static void stream(World world, SplittableRandom random) {
    withEngine(
        world,
        random,
        (node, engine) -> {
          boolean each = random.nextInt(4) == 0;
          boolean hasty = !each && random.nextInt(12) == 0;
          long deadline = hasty ? random.nextLong(1, 2_000_000) : world.forecast().deadlineNanos();
          long demand = random.nextBoolean() ? Probe.ALL : random.nextInt(4);
          StreamProbe probe = new StreamProbe(node, each, deadline, demand, random.split());
          Upstream upstream = new Upstream(probe, engine, imm(random), random.split());
          Flux<?> results =
              each
                  ? engine.submitEach(upstream)
                  : hasty
                      ? engine.submit(upstream, Duration.ofNanos(deadline))
                      : engine.submit(upstream);
          results.subscribe(probe);
          if (demand == 0) {
            node.act(random.nextLong(MAX_DELAY_NANOS), () -> probe.request(1 + random.nextInt(4)));
          }
          maybeCancel(probe, 15, random);
        });
  }

  static void retry(World world, SplittableRandom random) {
    withEngine(world, random, (node, engine) -> Retry.begin(node, engine, random));
  }

  static void claim(World world, SplittableRandom random) {
    withEngine(
        world,
        random,
        (node, engine) -> {
          Count count = world.count(node, imm(random));
          ImmCounter counter = engine.counter(Imm.of(count.imm));
          List<Node> bound = new ArrayList<>();
          if (random.nextInt(4) == 0) {
            Node other = world.pickOther(node, random);
            if (other != null && other.engine() != null) {
              bound.add(other);
              counter = counter.boundTo(engine.peer(other.engine().address()));
            }
          }
          long patience = random.nextInt(5) == 0 ? random.nextLong(1, 5_000_000) : 0;
          if (patience > 0) {
            counter = counter.within(Duration.ofNanos(patience));
          }
          int arrivals = 1 + random.nextInt(random.nextBoolean() ? 1 : 5);
          boolean repeats = random.nextInt(4) == 0;
          long demand = repeats && random.nextBoolean() ? random.nextInt(4) : Probe.ALL;
          ClaimProbe probe = new ClaimProbe(count, arrivals, repeats, bound, patience, demand);
          if (repeats) {
            counter.every(arrivals).cast(Object.class).subscribe(probe);
          } else {
            counter.next(arrivals).cast(Object.class).subscribe(probe);
          }
          maybeCancel(probe, 20, random);
        });
  }

  static void send(World world, SplittableRandom random) {
    withEngine(
        world,
        random,
        (node, engine) -> {
          Node to = world.pickOther(node, random);
          if (to == null) {
            return;
          }
          for (int n = 1 + random.nextInt(4); n > 0; n--) {
            maybeCancel(world.letters().send(node, engine, to, random), 10, random);
          }
        });
  }

  static void read(World world, SplittableRandom random) {
    withEngine(
        world,
        random,
        (node, engine) -> {
          int channel = random.nextInt(Letters.CHANNELS - 1);
          Probe<?> reader = node.reader(channel);
          if (reader != null && !reader.isOver()) {
            reader.request(1 + random.nextInt(3));
          } else {
            maybeCancel(
                read(node, engine, channel, random.nextBoolean() ? Probe.ALL : random.nextInt(5)),
                30,
                random);
          }
        });
  }

  static Probe<?> read(Node node, TransferEngine engine, int channel, long demand) {
    Letters.ReadProbe probe = new Letters.ReadProbe(node, channel, demand);
    node.reader(channel, probe);
    engine.messages(new MessageChannel(channel)).subscribe(probe);
    return probe;
  }

  /** Some engines enter a barrier, each in its own time; some of them perhaps not at all. */
  static void barrier(World world, SplittableRandom random) {
    List<Node> up = new ArrayList<>(world.nodes().stream().filter(Node::isUp).toList());
    while (up.size() > 2 && random.nextBoolean()) {
      up.remove(random.nextInt(up.size()));
    }
    Set<Node> members = new LinkedHashSet<>(up);
    if (members.size() < 2) {
      return;
    }
    String name = random.nextInt(4) == 0 ? "other" : "";
    for (Node member : members) {
      if (random.nextInt(8) > 0) {
        member.act(
            random.nextLong(MAX_DELAY_NANOS),
            () -> {
              if (member.isUp() && member.engine() != null) {
                world.meetings().enter(member, member.engine(), name, members);
              }
            });
      }
    }
  }

  /** Asks who is where another engine is, or was. */
  static void find(World world, SplittableRandom random) {
    withEngine(
        world,
        random,
        (node, engine) -> {
          Node other = world.pickOther(node, random);
          if (other != null && other.engine() != null) {
            FindProbe probe = new FindProbe(node, other);
            engine.peer(other.engine().address().control()).subscribe(probe);
            maybeCancel(probe, 20, random);
          }
        });
  }

  private static final class FindProbe extends Probe<Peer> {
    private final Node other;

    FindProbe(Node node, Node other) {
      super(node, "find", true);
      this.other = other;
    }

    @Override
    void next(Peer found) {
      Node there = node.world().known(found.id());
      boolean sharePlace = there.process().place() == other.process().place();
      node.world()
          .referee()
          .require(
              // who was killed may be believed to be there, and another one may be there by now
              there == other || (sharePlace && (there.isKilled() || other.isKilled())),
              this + " found " + found + ", not " + other);
    }

    @Override
    void end(@Nullable Throwable error) {
      boolean justified =
          error == null
              || node.isClosing()
              || node.world().isForgiving()
              || node.mayRefuse(error)
              || (error instanceof PeerUnreachableException
                  && node.world().isDisturbed(node, other));
      node.world().referee().require(justified, this + " failed for no reason: " + error);
    }
  }

  static void state(World world, SplittableRandom random) {
    withEngine(
        world,
        random,
        (node, engine) -> {
          Node other = world.pickOther(node, random);
          if (other != null && other.engine() != null) {
            Peer peer = engine.peer(other.engine().address());
            StateProbe probe = new StateProbe(node, other);
            peer.state().subscribe(probe);
            maybeCancel(probe, 40, random);
          }
        });
  }

  private static final class StateProbe extends Probe<PeerState> {
    private final Node other;

    StateProbe(Node node, Node other) {
      super(node, "state", false);
      this.other = other;
    }

    @Override
    void next(PeerState state) {
      node.world()
          .referee()
          .require(
              state.lossCause() == null || node.world().isDisturbed(node, other),
              this + " calls " + other + " lost for no reason: " + state);
    }

    @Override
    void end(@Nullable Throwable error) {
      node.world()
          .referee()
          .require(node.isClosing() || node.world().isForgiving(), this + " ended: " + error);
    }
  }

  private static void maybeCancel(Probe<?> probe, int percent, SplittableRandom random) {
    if (random.nextInt(100) < percent) {
      probe.node.act(random.nextLong(MAX_DELAY_NANOS), probe::cancel);
    }
  }
}
