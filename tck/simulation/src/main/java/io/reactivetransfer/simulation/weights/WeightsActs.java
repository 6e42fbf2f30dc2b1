package io.reactivetransfer.simulation.weights;

import io.reactivetransfer.simulation.Hosts;
import io.reactivetransfer.weights.version.UpdateMode;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/** What applications do, whenever they like. */
final class WeightsActs {

  /** Another controller updates a rank that fills others within this time. */
  private static final long MAX_RIVALRY_NANOS = 1_000_000;

  private WeightsActs() {}

  // ---- updates ----

  /** To the next version, if there can be one; else a recovery, or nothing. */
  static void update(WeightsWorld world, SplittableRandom random) {
    Laboratory laboratory = world.laboratory();
    Steering steering = controller(world, random);
    if (steering == null || laboratory.isStepping() || steering.isBusy()) {
      return;
    }
    Map<String, Serving> ranks = ranks(world, random);
    if (ranks.isEmpty()) {
      return;
    }
    if (laboratory.mayStep() && !laboratory.isReplaced(steering)) {
      laboratory.step(() ->
          laboratory.update(
              steering, mode(world, random), laboratory.drawDeadline(random), ranks, random));
    } else if (laboratory.mayStep() || !world.forecast().calm()) {
      laboratory.recover(steering, laboratory.drawDeadline(random));
    }
  }

  /** A rank alone is brought what trainers have. */
  static void join(WeightsWorld world, SplittableRandom random) {
    Steering steering = controller(world, random);
    Map<String, Serving> living = world.laboratory().living();
    Serving one = Hosts.pick(List.copyOf(living.values()), random);
    if (steering != null
        && one != null
        && world.laboratory().mayStep()
        && !world.laboratory().isReplaced(steering)) {
      world
          .laboratory()
          .update(
              steering,
              mode(world, random),
              world.laboratory().drawDeadline(random),
              Map.of(one.name(), one),
              random);
    }
  }

  /** A rank that serves what trainers have fills another one, and may be updated meanwhile. */
  static void fill(WeightsWorld world, SplittableRandom random) {
    Laboratory laboratory = world.laboratory();
    Steering steering = controller(world, random);
    Serving one = Hosts.pick(List.copyOf(laboratory.living().values()), random);
    Serving peer = one == null ? null : Hosts.pick(laboratory.peersOf(one), random);
    if (steering == null
        || one == null
        || peer == null
        || !laboratory.mayStep()
        || laboratory.isReplaced(steering)) {
      return;
    }
    laboratory.fill(
        steering,
        peer,
        mode(world, random),
        laboratory.drawDeadline(random),
        Map.of(one.name(), one),
        random);
    if (!world.forecast().calm() && random.nextInt(4) > 0) {
      long nanos = random.nextLong(MAX_RIVALRY_NANOS);
      world.time().after(nanos, () -> rivalOf(steering, peer, random));
    }
  }

  /** Another controller, a new one, takes over one rank alone, and updates it. */
  private static void rivalOf(Steering steering, Serving one, SplittableRandom random) {
    WeightsWorld world = steering.world;
    for (WeightsNode node : world.nodes()) {
      if (node.isUp() && node.role() instanceof Steering other && other != steering) {
        node.act(
            0,
            () -> {
              if (other.hasTakenOver()) {
                other.reopen();
              }
              world
                  .laboratory()
                  .update(
                      other,
                      mode(world, random),
                      world.laboratory().drawDeadline(random),
                      Map.of(one.name(), one),
                      random);
            });
        return;
      }
    }
  }

  static void recover(WeightsWorld world, SplittableRandom random) {
    Steering steering = controller(world, random);
    boolean isFree = world.laboratory().mayStep();
    if (steering != null && (isFree || !world.forecast().calm())) {
      world.laboratory().recover(steering, world.laboratory().drawDeadline(random));
    }
  }

  /** Somebody updates to what trainers have, whoever does what. */
  static void rival(WeightsWorld world, SplittableRandom random) {
    Steering steering = controller(world, random);
    Map<String, Serving> ranks = ranks(world, random);
    if (steering != null && !ranks.isEmpty()) {
      world
          .laboratory()
          .update(
              steering,
              mode(world, random),
              world.laboratory().drawDeadline(random),
              ranks,
              random);
    }
  }

  static void cancel(WeightsWorld world, SplittableRandom random) {
    List<Attempt> running = new ArrayList<>();
    world.laboratory().eachRunning(running::add);
    Attempt one = Hosts.pick(running, random);
    if (one != null) {
      one.steering.node.act(0, one::cancel);
    }
  }

  private static @Nullable Steering controller(WeightsWorld world, SplittableRandom random) {
    return role(world, Steering.class, random);
  }

  static <R extends Role> @Nullable R role(
      WeightsWorld world, Class<R> type, SplittableRandom random) {
    List<R> all =
        world.nodes().stream()
            .filter(WeightsNode::isUp)
            .map(WeightsNode::role)
            .filter(type::isInstance)
            .map(type::cast)
            .toList();
    return Hosts.pick(all, random);
  }

  private static UpdateMode mode(WeightsWorld world, SplittableRandom random) {
    UpdateMode[] modes = UpdateMode.values();
    boolean any =
        world.forecast().twoBuffers() || (!world.forecast().calm() && random.nextInt(9) == 0);
    return any ? modes[random.nextInt(modes.length)] : UpdateMode.IN_PLACE;
  }

  /** All that are known to live, now and then some, or one that is gone. */
  private static Map<String, Serving> ranks(WeightsWorld world, SplittableRandom random) {
    Map<String, Serving> all = world.laboratory().living();
    if (!world.forecast().calm() && random.nextInt(10) == 0) {
      for (WeightsNode node : world.laboratory().latest(WeightsNode.Kind.RANK).values()) {
        if (node.engine() != null && node.role() instanceof Serving serving) {
          all.put(serving.name(), serving);
        }
      }
    }
    if (all.size() > 1 && random.nextInt(8) == 0) {
      Map<String, Serving> some = new LinkedHashMap<>(all);
      some.remove(List.copyOf(all.keySet()).get(random.nextInt(all.size())));
      return some;
    }
    return all;
  }

  // ---- all else ----

  static void read(WeightsWorld world, SplittableRandom random) {
    if (world.forecast().replicas() && random.nextInt(2) == 0) {
      fill(world, random);
      return;
    }
    Serving serving = role(world, Serving.class, random);
    if (serving != null) {
      serving.node.act(
          0,
          () -> {
            Life life = serving.life();
            if (life != null && serving.node.isUp()) {
              Reading.begin(life, random);
            }
          });
    }
  }

  static void reopenTrainer(WeightsWorld world, SplittableRandom random) {
    Training training = role(world, Training.class, random);
    if (training != null) {
      training.node.act(0, training::reopen);
    }
  }

  static void reopenRank(WeightsWorld world, SplittableRandom random) {
    Serving serving = role(world, Serving.class, random);
    if (serving != null) {
      serving.node.act(0, serving::reopen);
    }
  }

  static void reopenController(WeightsWorld world, SplittableRandom random) {
    Steering steering = controller(world, random);
    if (steering != null) {
      steering.node.act(0, steering::reopen);
    }
  }

  static void failPrepare(WeightsWorld world, SplittableRandom random) {
    Training training = role(world, Training.class, random);
    if (training != null) {
      training.failSoon();
    }
  }

  static void strike(WeightsWorld world, SplittableRandom random) {
    world.laboratory().arm(Strike.draw(random));
  }

  /** When one rank has flipped, what others are told may be under way. */
  static void strikeAFlip(WeightsWorld world, SplittableRandom random) {
    world.laboratory().arm(Strike.draw(Strike.Step.FLIPPED, random));
  }

  /** A NIC has no room for one of the next registrations. */
  static void refuseRegistration(WeightsWorld world, SplittableRandom random) {
    WeightsNode node = world.pickUp(random);
    if (node != null) {
      node.refuseMemory(1 + random.nextInt(4));
    }
  }
}
