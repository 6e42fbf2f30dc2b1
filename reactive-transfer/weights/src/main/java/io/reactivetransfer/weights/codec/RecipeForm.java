package io.reactivetransfer.weights.codec;

import io.reactivetransfer.weights.Box;
import io.reactivetransfer.weights.Recipe;
import io.reactivetransfer.weights.Shape;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** The bytes of a recipe: what it does to its parts, then these. */
final class RecipeForm {

  private static final int OF = 1;
  private static final int TRANSPOSED = 2;
  private static final int FUSED = 3;
  private static final int STACKED = 4;
  private static final int SLICED = 5;
  private static final int PICKED = 6;

  /** Of the shortest one. */
  private static final int RECIPE_BYTES = 3;

  private RecipeForm() {}

  static void write(Recipe recipe, FormWriter out) {
    switch (recipe) {
      case Recipe.Of of -> out.u8(OF).name(of.tensor());
      case Recipe.Transposed transposed -> {
        out.u8(TRANSPOSED).u8(transposed.order().size());
        transposed.order().forEach(out::u8);
      }
      case Recipe.Fused fused -> out.u8(FUSED).u8(fused.dimension()).number(fused.parts().size());
      case Recipe.Stacked stacked ->
          out.u8(STACKED).u8(stacked.dimension()).number(stacked.parts().size());
      case Recipe.Sliced sliced -> out.u8(SLICED).u8(sliced.box().dimensions()).box(sliced.box());
      case Recipe.Picked picked -> out.u8(PICKED).u8(picked.dimension()).number(picked.index());
    }
    recipe.parts().forEach(part -> write(part, out));
  }

  static Recipe read(FormReader in) {
    return read(in, 1);
  }

  private static Recipe read(FormReader in, int depth) {
    if (depth > Recipe.MAX_DEPTH) {
      throw in.bad("a recipe of at most " + Recipe.MAX_DEPTH + " levels", "more");
    }
    return switch (in.u8("kind of a recipe", OF, PICKED)) {
      case OF -> new Recipe.Of(in.name("tensor"));
      case TRANSPOSED -> {
        int[] order = new int[in.u8("dimensions", 0, Shape.MAX_DIMENSIONS)];
        Arrays.setAll(order, _ -> in.u8("dimension", 0, Shape.MAX_DIMENSIONS));
        Recipe part = read(in, depth + 1);
        yield new Recipe.Transposed(part, Arrays.stream(order).boxed().toList());
      }
      case FUSED -> {
        int dimension = in.u8("dimension", 0, Shape.MAX_DIMENSIONS);
        yield new Recipe.Fused(dimension, parts(in, depth));
      }
      case STACKED -> {
        int dimension = in.u8("dimension", 0, Shape.MAX_DIMENSIONS);
        yield new Recipe.Stacked(dimension, parts(in, depth));
      }
      case SLICED -> {
        Box box = in.box(in.u8("dimensions", 0, Shape.MAX_DIMENSIONS));
        yield new Recipe.Sliced(read(in, depth + 1), box);
      }
      default -> {
        int dimension = in.u8("dimension", 0, Shape.MAX_DIMENSIONS);
        long index = in.number("index");
        yield new Recipe.Picked(read(in, depth + 1), dimension, index);
      }
    };
  }

  private static List<Recipe> parts(FormReader in, int depth) {
    int count = in.count("parts", 1, RECIPE_BYTES);
    List<Recipe> parts = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      parts.add(read(in, depth + 1));
    }
    return parts;
  }
}
