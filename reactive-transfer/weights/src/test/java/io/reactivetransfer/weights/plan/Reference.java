package io.reactivetransfer.weights.plan;

import io.reactivetransfer.weights.Content;
import io.reactivetransfer.weights.Quantization;
import io.reactivetransfer.weights.TargetShare;
import io.reactivetransfer.weights.Tensor;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** What each element of each inference tensor must be, one at a time. */
final class Reference {

  private final RandomModel model;
  private final Map<String, int[]> values;

  /** Of each quantised tensor, where its units begin along each dimension. */
  private final Map<String, List<List<Long>>> bounds = new HashMap<>();

  /** Of each quantised tensor, the scales of its units, without gaps. */
  private final Map<String, float[]> scales = new HashMap<>();

  Reference(RandomModel model, Map<String, int[]> values) {
    this.model = model;
    this.values = values;
    model.contents.forEach((name, content) -> {
      if (content instanceof Content.Values made && made.quantization() != null) {
        findScales(model.wanted.get(name), made, made.quantization());
      }
    });
  }

  private void findScales(Tensor tensor, Content.Values made, Quantization quantization) {
    List<List<Long>> found = new ArrayList<>();
    int units = 1;
    for (int i = 0; i < tensor.shape().dimensions(); i++) {
      found.add(model.bounds(made.recipe(), quantization, tensor.shape(), i));
      units *= found.get(i).size();
    }
    bounds.put(tensor.name(), found);
    float[] largest = new float[units];
    Recipes.each(
        tensor.shape().sizes(),
        index -> {
          int unit = flatUnit(tensor, unitOf(tensor, index));
          largest[unit] = Math.max(largest[unit], Math.abs(value(made, index)));
        });
    for (int i = 0; i < units; i++) {
      largest[i] = Bits.scale(largest[i], tensor.type());
    }
    scales.put(tensor.name(), largest);
  }

  /** The bits of an element. */
  int bits(TargetShare share, long[] index) {
    Tensor tensor = share.tensor();
    if (share.content() instanceof Content.Scales of) {
      Tensor quantized = model.wanted.get(of.tensor());
      int unit = flatUnit(quantized, unsqueezed(quantized, index));
      return Bits.fromFloat(scales.get(of.tensor())[unit], tensor.type());
    }
    Content.Values made = (Content.Values) share.content();
    if (made.quantization() != null) {
      float scale = scales.get(tensor.name())[flatUnit(tensor, unitOf(tensor, index))];
      return Bits.quantized(value(made, index), scale, tensor.type());
    }
    Recipes.Element from = model.recipes.element(made.recipe(), index);
    Tensor source = model.held.get(from.tensor());
    int bits = values.get(from.tensor())[(int) Recipes.flat(source.shape().sizes(), from.index())];
    return source.type() == tensor.type()
        ? bits
        : Bits.fromFloat(Bits.toFloat(bits, source.type()), tensor.type());
  }

  private float value(Content.Values made, long[] index) {
    Recipes.Element from = model.recipes.element(made.recipe(), index);
    Tensor source = model.held.get(from.tensor());
    int at = (int) Recipes.flat(source.shape().sizes(), from.index());
    return Bits.toFloat(values.get(from.tensor())[at], source.type());
  }

  private List<List<Long>> boundsOf(Tensor tensor) {
    return Objects.requireNonNull(bounds.get(tensor.name()));
  }

  private int flatUnit(Tensor tensor, long[] unit) {
    long[] sizes = boundsOf(tensor).stream().mapToLong(List::size).toArray();
    return (int) Recipes.flat(sizes, unit);
  }

  private long[] unitOf(Tensor tensor, long[] index) {
    long[] unit = index.clone();
    for (int i = 0; i < index.length; i++) {
      long at = index[i];
      unit[i] = boundsOf(tensor).get(i).stream().filter(bound -> bound <= at).count() - 1;
    }
    return unit;
  }

  /** Of the index of a scale, that of its unit: dimensions of size 1 may be missing. */
  private long[] unsqueezed(Tensor of, long[] index) {
    long[] unit = new long[of.shape().dimensions()];
    if (unit.length == index.length) {
      return index;
    }
    int next = 0;
    for (int i = 0; i < unit.length; i++) {
      if (boundsOf(of).get(i).size() > 1) {
        unit[i] = index[next++];
      }
    }
    return unit;
  }
}
