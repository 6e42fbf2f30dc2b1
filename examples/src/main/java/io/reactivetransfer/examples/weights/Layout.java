package io.reactivetransfer.examples.weights;

import io.reactivetransfer.weights.Cut;
import io.reactivetransfer.weights.DataType;
import io.reactivetransfer.weights.Mesh;
import io.reactivetransfer.weights.Sharding;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * How the ranks of one side share a model out.
 *
 * @param text as it was given
 * @param axes of the ranks, the last one counts fastest
 * @param type what the tensors are, or null if nothing is said
 */
record Layout(String text, List<Mesh.Axis> axes, @Nullable DataType type) {

  private static final int MOST_RANKS = 64;

  private static final Map<String, DataType> TYPES = new LinkedHashMap<>();

  static {
    TYPES.put("fp32", DataType.FP32);
    TYPES.put("bf16", DataType.BF16);
    TYPES.put("fp16", DataType.FP16);
    TYPES.put("fp8", DataType.FP8_E4M3);
    TYPES.put("fp8_e5m2", DataType.FP8_E5M2);
    TYPES.put("int8", DataType.INT8);
  }

  /** Copies the list. */
  Layout {
    axes = List.copyOf(axes);
  }

  /**
   * Reads what an option says.
   *
   * @throws IllegalArgumentException if it is anything else; names the option
   */
  static Layout of(String option, String text) {
    List<Mesh.Axis> axes = new ArrayList<>();
    DataType type = null;
    for (String part : text.split(",", -1)) {
      int sign = part.indexOf('=');
      String name = part.substring(0, Math.max(0, sign)).strip().toLowerCase(Locale.ROOT);
      String value = part.substring(sign + 1).strip().toLowerCase(Locale.ROOT);
      if (name.equals("dtype") && type == null) {
        type = TYPES.get(value);
        if (type == null) {
          throw new IllegalArgumentException(
              "expected %s with dtype= one of %s, got %s"
                  .formatted(option, String.join(", ", TYPES.keySet()), part));
        }
      } else if (List.of("dp", "fsdp", "pp", "tp").contains(name)
          && axes.stream().noneMatch(axis -> axis.name().equals(name))) {
        axes.add(Mesh.axis(name, size(option, part, value)));
      } else {
        throw new IllegalArgumentException(
            ("expected %s such as fsdp=2 or pp=2,tp=3,dtype=fp8: each of dp, fsdp, pp, tp and dtype"
                    + " at most once, got %s")
                .formatted(option, text));
      }
    }
    Layout layout = new Layout(text, axes, type);
    if (layout.ranks() > MOST_RANKS) {
      throw new IllegalArgumentException(
          "expected %s of 1 to %d ranks, got %d".formatted(option, MOST_RANKS, layout.ranks()));
    }
    return layout;
  }

  private static int size(String option, String part, String value) {
    int size = value.matches("[0-9]{1,3}") ? Integer.parseInt(value) : 0;
    if (size < 1 || size > MOST_RANKS) {
      throw new IllegalArgumentException(
          "expected %s with axes of 1 to %d ranks, got %s".formatted(option, MOST_RANKS, part));
    }
    return size;
  }

  /** How many ranks there are. */
  int ranks() {
    return axes.stream().mapToInt(Mesh.Axis::size).reduce(1, Math::multiplyExact);
  }

  /** As options say it, for a type that has a name there. */
  static String nameOf(DataType type) {
    return TYPES.entrySet().stream()
        .filter(entry -> entry.getValue() == type)
        .map(Map.Entry::getKey)
        .collect(Collectors.joining());
  }

  /**
   * How a tensor is cut.
   *
   * @param cutting how tensor-parallel ranks cut it
   * @param dimensions how many it has
   * @param depth how far down the model it is, 0 to 1: which stage has it
   * @param cut bounds of the parts of a dimension
   */
  Sharding sharding(String name, Cutting cutting, int dimensions, double depth, Cut cut) {
    Sharding sharding = Sharding.replicated(new Mesh(name, axes));
    List<String> rows = new ArrayList<>();
    if (has("tp") && cutting == Cutting.ROWS && dimensions > 0) {
      rows.add("tp");
    }
    if (has("fsdp") && dimensions > 0) {
      rows.add("fsdp");
    }
    if (!rows.isEmpty()) {
      sharding = sharding.split(0, cut, rows.toArray(String[]::new));
    }
    if (has("tp") && cutting == Cutting.COLUMNS && dimensions > 1) {
      sharding = sharding.split(1, cut, "tp");
    }
    if (has("pp")) {
      int stages = sharding.mesh().size("pp");
      sharding = sharding.at("pp", (int) Math.min(stages - 1, depth * stages));
    }
    return sharding;
  }

  private boolean has(String axis) {
    return axes.stream().anyMatch(one -> one.name().equals(axis));
  }

  @Override
  public String toString() {
    return text;
  }
}
