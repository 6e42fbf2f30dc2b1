package io.reactivetransfer.weights.plan;

import io.reactivetransfer.weights.Recipe;
import io.reactivetransfer.weights.Shape;
import java.util.Arrays;
import java.util.Map;
import java.util.TreeSet;

/** What a recipe means, element by element: written down once more, and plainly. */
final class Recipes {

  /** An element of a tensor of the trainer. */
  record Element(String tensor, long[] index) {}

  private final Map<String, Shape> shapes;

  Recipes(Map<String, Shape> shapes) {
    this.shapes = shapes;
  }

  long[] shape(Recipe recipe) {
    return switch (recipe) {
      case Recipe.Of of -> shapes.get(of.tensor()).sizes();
      case Recipe.Transposed transposed -> {
        long[] inner = shape(transposed.part());
        yield transposed.order().stream().mapToLong(i -> inner[i]).toArray();
      }
      case Recipe.Fused fused -> {
        long[] shape = shape(fused.parts().getFirst());
        shape[fused.dimension()] =
            fused.parts().stream().mapToLong(part -> shape(part)[fused.dimension()]).sum();
        yield shape;
      }
      case Recipe.Stacked stacked ->
          with(shape(stacked.parts().getFirst()), stacked.dimension(), stacked.parts().size());
      case Recipe.Sliced sliced -> sliced.box().sizes();
      case Recipe.Picked picked -> without(shape(picked.part()), picked.dimension());
    };
  }

  Element element(Recipe recipe, long[] index) {
    switch (recipe) {
      case Recipe.Of of -> {
        return new Element(of.tensor(), index);
      }
      case Recipe.Transposed transposed -> {
        long[] inner = new long[index.length];
        for (int i = 0; i < index.length; i++) {
          inner[transposed.order().get(i)] = index[i];
        }
        return element(transposed.part(), inner);
      }
      case Recipe.Fused fused -> {
        long[] inner = index.clone();
        for (Recipe part : fused.parts()) {
          long size = shape(part)[fused.dimension()];
          if (inner[fused.dimension()] < size) {
            return element(part, inner);
          }
          inner[fused.dimension()] -= size;
        }
        throw new AssertionError("outside");
      }
      case Recipe.Stacked stacked -> {
        int part = (int) index[stacked.dimension()];
        return element(stacked.parts().get(part), without(index, stacked.dimension()));
      }
      case Recipe.Sliced sliced -> {
        long[] inner = index.clone();
        Arrays.setAll(inner, i -> index[i] + sliced.box().start(i));
        return element(sliced.part(), inner);
      }
      case Recipe.Picked picked -> {
        return element(picked.part(), with(index, picked.dimension(), picked.index()));
      }
    }
  }

  /** Where parts meet along a dimension. */
  TreeSet<Long> bounds(Recipe recipe, int dimension) {
    TreeSet<Long> bounds = new TreeSet<>();
    bounds.add(0L);
    switch (recipe) {
      case Recipe.Of _ -> {}
      case Recipe.Transposed transposed ->
          bounds.addAll(bounds(transposed.part(), transposed.order().get(dimension)));
      case Recipe.Fused fused -> {
        long before = 0;
        for (Recipe part : fused.parts()) {
          for (long bound : bounds(part, dimension)) {
            bounds.add(bound + before);
          }
          before += dimension == fused.dimension() ? shape(part)[dimension] : 0;
        }
      }
      case Recipe.Stacked stacked -> {
        for (int i = 0; i < stacked.parts().size(); i++) {
          if (dimension == stacked.dimension()) {
            bounds.add((long) i);
          } else {
            int inner = dimension < stacked.dimension() ? dimension : dimension - 1;
            bounds.addAll(bounds(stacked.parts().get(i), inner));
          }
        }
      }
      case Recipe.Sliced sliced -> {
        // Only of parts that the slice has something of.
        long[] sizes = shape(sliced);
        for (long i = 1; i < sizes[dimension]; i++) {
          if (isBound(sliced, dimension, i)) {
            bounds.add(i);
          }
        }
      }
      case Recipe.Picked picked -> {
        long[] sizes = shape(picked);
        for (long i = 1; i < sizes[dimension]; i++) {
          if (isBound(picked, dimension, i)) {
            bounds.add(i);
          }
        }
      }
    }
    return bounds;
  }

  /** Whether some neighbours come from different leaves of the recipe. */
  private boolean isBound(Recipe recipe, int dimension, long at) {
    boolean[] found = new boolean[1];
    each(
        shape(recipe),
        index -> {
          if (index[dimension] == at) {
            long[] before = index.clone();
            before[dimension]--;
            found[0] |= !leaf(recipe, index).equals(leaf(recipe, before));
          }
        });
    return found[0];
  }

  /** The way down to the tensor that an element comes from. */
  private String leaf(Recipe recipe, long[] index) {
    return switch (recipe) {
      case Recipe.Of _ -> "";
      case Recipe.Transposed transposed -> {
        long[] inner = new long[index.length];
        for (int i = 0; i < index.length; i++) {
          inner[transposed.order().get(i)] = index[i];
        }
        yield leaf(transposed.part(), inner);
      }
      case Recipe.Fused fused -> {
        long[] inner = index.clone();
        for (int i = 0; ; i++) {
          long size = shape(fused.parts().get(i))[fused.dimension()];
          if (inner[fused.dimension()] < size) {
            yield i + "," + leaf(fused.parts().get(i), inner);
          }
          inner[fused.dimension()] -= size;
        }
      }
      case Recipe.Stacked stacked -> {
        int part = (int) index[stacked.dimension()];
        yield part + "," + leaf(stacked.parts().get(part), without(index, stacked.dimension()));
      }
      case Recipe.Sliced sliced -> {
        long[] inner = index.clone();
        Arrays.setAll(inner, i -> index[i] + sliced.box().start(i));
        yield leaf(sliced.part(), inner);
      }
      case Recipe.Picked picked ->
          leaf(picked.part(), with(index, picked.dimension(), picked.index()));
    };
  }

  /** Every index of a shape. */
  static void each(long[] shape, java.util.function.Consumer<long[]> to) {
    long all = Arrays.stream(shape).reduce(1, (one, other) -> one * other);
    for (long i = 0; i < all; i++) {
      long[] index = new long[shape.length];
      long rest = i;
      for (int dimension = shape.length - 1; dimension >= 0; dimension--) {
        index[dimension] = rest % shape[dimension];
        rest /= shape[dimension];
      }
      to.accept(index);
    }
  }

  /** The number of an element in an array without gaps. */
  static long flat(long[] shape, long[] index) {
    long flat = 0;
    for (int i = 0; i < shape.length; i++) {
      flat = flat * shape[i] + index[i];
    }
    return flat;
  }

  private static long[] with(long[] numbers, int at, long number) {
    long[] more = new long[numbers.length + 1];
    for (int i = 0; i < more.length; i++) {
      more[i] = i < at ? numbers[i] : i == at ? number : numbers[i - 1];
    }
    return more;
  }

  private static long[] without(long[] numbers, int at) {
    long[] less = new long[numbers.length - 1];
    for (int i = 0; i < less.length; i++) {
      less[i] = numbers[i < at ? i : i + 1];
    }
    return less;
  }
}
