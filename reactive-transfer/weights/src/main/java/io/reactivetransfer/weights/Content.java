package io.reactivetransfer.weights;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** What an inference tensor consists of. */
public sealed interface Content {

  /** The tensor of the trainer that has the same name. */
  static Content of(String tensor) {
    return new Values(new Recipe.Of(tensor), null);
  }

  /** What a recipe makes; cast, if the types differ. */
  static Content of(Recipe recipe) {
    return new Values(recipe, null);
  }

  /** What a recipe makes, quantised; some other tensor holds the scales. */
  static Content quantized(Recipe recipe, Quantization quantization) {
    return new Values(recipe, Objects.requireNonNull(quantization, "quantization"));
  }

  /** The scales of a quantised tensor. */
  static Content scalesOf(String tensor) {
    return new Scales(tensor);
  }

  /**
   * Values of the trainer.
   *
   * @param recipe from which of its tensors
   * @param quantization what shares a scale; null if there are no scales, and elements of another
   *     type are cast
   */
  record Values(Recipe recipe, @Nullable Quantization quantization) implements Content {

    /** Checks that there is a recipe. */
    public Values {
      Objects.requireNonNull(recipe, "recipe");
    }
  }

  /**
   * The scales of another tensor of the inference engine, one for each of its units, in the order
   * of these. Dimensions of size 1 may be left out of its shape.
   *
   * @param tensor the name of the one that is quantised
   */
  record Scales(String tensor) implements Content {

    /** Checks the name. */
    public Scales {
      Names.require("tensor", tensor);
    }
  }
}
