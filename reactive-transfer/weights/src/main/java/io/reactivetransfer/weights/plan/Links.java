package io.reactivetransfer.weights.plan;

import io.reactivetransfer.weights.Box;
import io.reactivetransfer.weights.Recipe;
import io.reactivetransfer.weights.Shape;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;

/**
 * What a recipe comes to: which elements come from where.
 *
 * @param shape of what it makes
 * @param links together they are all of it, each element once
 */
record Links(Shape shape, List<Link> links) {

  /** Knows the tensors of the trainer. */
  interface Sources {

    /** The index of a tensor; refuses a name that there is not. */
    int indexOf(String tensor);

    /** Its shape. */
    Shape shape(int index);
  }

  /**
   * Follows a recipe.
   *
   * @throws IllegalArgumentException if it does not fit the shapes of the trainer's tensors
   */
  static Links of(Recipe recipe, Sources sources) {
    return switch (recipe) {
      case Recipe.Of of -> whole(sources.indexOf(of.tensor()), sources);
      case Recipe.Transposed transposed -> of(transposed.part(), sources).ordered(transposed);
      case Recipe.Fused fused -> fused(fused, sources);
      case Recipe.Stacked stacked -> stacked(stacked, sources);
      case Recipe.Sliced sliced -> of(sliced.part(), sources).sliced(sliced.box());
      case Recipe.Picked picked -> of(picked.part(), sources).picked(picked);
    };
  }

  private static Links whole(int source, Sources sources) {
    Shape shape = sources.shape(source);
    int[] dimensions = new int[shape.dimensions()];
    Arrays.setAll(dimensions, i -> i);
    return new Links(
        shape,
        List.of(new Link(source, Box.whole(shape), new long[shape.dimensions()], dimensions)));
  }

  private Links ordered(Recipe.Transposed to) {
    List<Integer> order = to.order();
    if (order.size() != shape.dimensions()) {
      throw new IllegalArgumentException(
          "expected an order of " + shape.dimensions() + " dimensions, got " + order);
    }
    List<Link> found = new ArrayList<>();
    for (Link link : links) {
      int[] dimensions = new int[order.size()];
      Arrays.setAll(dimensions, i -> link.dimensions()[order.get(i)]);
      Box box = Box.of(ordered(link.box().starts(), order), ordered(link.box().sizes(), order));
      found.add(new Link(link.source(), box, link.starts(), dimensions));
    }
    return new Links(Shape.of(ordered(shape.sizes(), order)), found);
  }

  private static long[] ordered(long[] numbers, List<Integer> order) {
    return order.stream().mapToLong(i -> numbers[i]).toArray();
  }

  private static Links fused(Recipe.Fused fused, Sources sources) {
    int dimension = fused.dimension();
    List<Link> found = new ArrayList<>();
    long[] sizes = null;
    for (Recipe part : fused.parts()) {
      Links links = of(part, sources);
      long[] next = links.shape.sizes();
      if (dimension >= next.length || (sizes != null && !fit(sizes, next, dimension))) {
        throw new IllegalArgumentException(
            "expected parts that are alike but for dimension "
                + dimension
                + ", got "
                + (sizes == null ? "" : Arrays.toString(sizes) + " and ")
                + links.shape);
      }
      long before = sizes == null ? 0 : sizes[dimension];
      for (Link link : links.links) {
        long from = link.box().start(dimension) + before;
        Box box = link.box().with(dimension, from, from + link.box().size(dimension));
        found.add(new Link(link.source(), box, link.starts(), link.dimensions()));
      }
      next[dimension] += before;
      sizes = next;
    }
    return new Links(Shape.of(Objects.requireNonNull(sizes)), found);
  }

  private static boolean fit(long[] one, long[] other, int but) {
    boolean fits = one.length == other.length;
    for (int i = 0; fits && i < one.length; i++) {
      fits = i == but || one[i] == other[i];
    }
    return fits;
  }

  private static Links stacked(Recipe.Stacked stacked, Sources sources) {
    int dimension = stacked.dimension();
    List<Link> found = new ArrayList<>();
    Shape first = null;
    int index = 0;
    for (Recipe part : stacked.parts()) {
      Links links = of(part, sources);
      if (dimension > links.shape.dimensions() || (first != null && !first.equals(links.shape))) {
        throw new IllegalArgumentException(
            "expected parts of one shape to stack at dimension "
                + dimension
                + ", got "
                + (first == null ? "" : first + " and ")
                + links.shape);
      }
      first = links.shape;
      for (Link link : links.links) {
        Box box =
            Box.of(
                inserted(link.box().starts(), dimension, index),
                inserted(link.box().sizes(), dimension, 1));
        int[] dimensions = new int[link.dimensions().length + 1];
        for (int i = 0; i < dimensions.length; i++) {
          int old = i < dimension ? i : i - 1;
          dimensions[i] = i == dimension ? -1 : link.dimensions()[old];
        }
        found.add(new Link(link.source(), box, link.starts(), dimensions));
      }
      index++;
    }
    long[] sizes = inserted(Objects.requireNonNull(first).sizes(), dimension, index);
    return new Links(Shape.of(sizes), found);
  }

  private static long[] inserted(long[] numbers, int at, long number) {
    long[] more = new long[numbers.length + 1];
    System.arraycopy(numbers, 0, more, 0, at);
    more[at] = number;
    System.arraycopy(numbers, at, more, at + 1, numbers.length - at);
    return more;
  }

  private Links sliced(Box box) {
    if (box.dimensions() != shape.dimensions() || !Box.whole(shape).contains(box)) {
      throw new IllegalArgumentException("expected a slice of " + shape + ", got " + box);
    }
    List<Link> found = new ArrayList<>();
    for (Link link : links) {
      Box common = link.box().intersect(box);
      if (common != null) {
        long[] starts = common.starts();
        Arrays.setAll(starts, i -> starts[i] - box.start(i));
        found.add(
            new Link(
                link.source(),
                Box.of(starts, common.sizes()),
                link.toSource(common).starts(),
                link.dimensions()));
      }
    }
    return new Links(Shape.of(box.sizes()), found);
  }

  private Links picked(Recipe.Picked picked) {
    int dimension = picked.dimension();
    if (dimension >= shape.dimensions() || picked.index() >= shape.size(dimension)) {
      throw new IllegalArgumentException(
          "expected an index of a dimension of "
              + shape
              + ", got index "
              + picked.index()
              + " of dimension "
              + dimension);
    }
    Box plane = Box.whole(shape).with(dimension, picked.index(), picked.index() + 1);
    Links slice = sliced(plane);
    List<Link> found = new ArrayList<>();
    for (Link link : slice.links) {
      int[] dimensions = new int[link.dimensions().length - 1];
      Arrays.setAll(dimensions, i -> link.dimensions()[i < dimension ? i : i + 1]);
      Box box =
          Box.of(without(link.box().starts(), dimension), without(link.box().sizes(), dimension));
      found.add(new Link(link.source(), box, link.starts(), dimensions));
    }
    return new Links(Shape.of(without(shape.sizes(), dimension)), found);
  }

  private static long[] without(long[] numbers, int at) {
    long[] less = new long[numbers.length - 1];
    System.arraycopy(numbers, 0, less, 0, at);
    System.arraycopy(numbers, at + 1, less, at, less.length - at);
    return less;
  }
}
