package io.reactivetransfer.weights.plan;

import io.reactivetransfer.weights.Box;
import io.reactivetransfer.weights.Content;
import io.reactivetransfer.weights.DataType;
import io.reactivetransfer.weights.Piece;
import io.reactivetransfer.weights.Place;
import io.reactivetransfer.weights.Rank;
import io.reactivetransfer.weights.RegionSpec;
import io.reactivetransfer.weights.Shape;
import io.reactivetransfer.weights.SourceRank;
import io.reactivetransfer.weights.SourceShare;
import io.reactivetransfer.weights.TargetRank;
import io.reactivetransfer.weights.TargetShare;
import io.reactivetransfer.weights.Tensor;
import java.util.ArrayList;
import java.util.List;

/** Puts small descriptions together, each tensor behind the one before. */
public final class Fixture {

  static final long REGION_BYTES = 1 << 20;

  private final List<SourceRank> sources = new ArrayList<>();
  private final List<TargetRank> targets = new ArrayList<>();

  static Tensor tensor(String name, DataType type, long... sizes) {
    return new Tensor(name, type, Shape.of(sizes));
  }

  /** Some rows of a tensor, from here on. */
  static Box rows(Tensor tensor, long from, long end) {
    return Box.whole(tensor.shape()).with(0, from, end);
  }

  static Box columns(Tensor tensor, long from, long end) {
    return Box.whole(tensor.shape()).with(1, from, end);
  }

  static Piece dense(Box box, long offset) {
    return new Piece(box, Place.dense(0, offset, Shape.of(box.sizes())));
  }

  static Rank rank(String name) {
    return Rank.of(name, RegionSpec.registered(REGION_BYTES));
  }

  /** The trainer's next rank. */
  final class Source {
    private final String name = "trainer-" + sources.size();
    private final List<SourceShare> shares = new ArrayList<>();
    private long next;

    Source has(Tensor tensor, Box... boxes) {
      return has("dense", tensor, boxes);
    }

    Source has(String group, Tensor tensor, Box... boxes) {
      List<Piece> pieces = new ArrayList<>();
      for (Box box : boxes) {
        pieces.add(dense(box, next));
        next += tensor.type().bytes(box.elements());
      }
      shares.add(new SourceShare(tensor, group, pieces));
      return this;
    }

    Source has(Tensor tensor) {
      return has(tensor, Box.whole(tensor.shape()));
    }

    Fixture done() {
      sources.add(new SourceRank(rank(name), shares));
      return Fixture.this;
    }
  }

  /** The next inference rank. */
  final class Target {
    private final String name = "rank-" + targets.size();
    private final List<TargetShare> shares = new ArrayList<>();
    private long next;

    Target wants(Tensor tensor, Content content, Box... boxes) {
      List<Piece> pieces = new ArrayList<>();
      for (Box box : boxes) {
        pieces.add(dense(box, next));
        next += tensor.type().bytes(box.elements());
      }
      shares.add(new TargetShare(tensor, content, pieces));
      return this;
    }

    Target wants(Tensor tensor, Content content) {
      return wants(tensor, content, Box.whole(tensor.shape()));
    }

    Target wants(Tensor tensor) {
      return wants(tensor, Content.of(tensor.name()));
    }

    Fixture done() {
      targets.add(new TargetRank(rank(name), shares));
      return Fixture.this;
    }
  }

  Source source() {
    return new Source();
  }

  Target target() {
    return new Target();
  }

  List<SourceRank> sources() {
    return sources;
  }

  List<TargetRank> targets() {
    return targets;
  }

  RoutingTable plan() {
    return Planner.create().plan(sources, targets);
  }
}
