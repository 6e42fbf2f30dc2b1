package io.reactivetransfer.examples.weights;

import io.reactivetransfer.weights.Box;
import io.reactivetransfer.weights.Tensor;
import io.reactivetransfer.weights.safetensors.SafetensorsEntry;
import io.reactivetransfer.weights.safetensors.SafetensorsFile;
import io.reactivetransfer.weights.safetensors.SafetensorsModel;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Tensors of safetensors files, as they are named there. */
final class FileWeights implements Weights {

  private static final Pattern LAYER = Pattern.compile("\\.(\\d{1,5})\\.");

  /** What follows another matrix is cut along its columns, so that both go together. */
  private static final Pattern SECOND =
      Pattern.compile("\\.(o_proj|down_proj|out_proj|dense_4h_to_h|c_proj|w2)\\.");

  private static final Pattern BEHIND_LAYERS = Pattern.compile("(lm_head|norm|output)");

  private final SafetensorsModel files;
  private final Model model;
  private final int leftOut;
  private final List<SafetensorsFile> inOrder;

  private FileWeights(SafetensorsModel files, Model model, int leftOut) {
    this.files = files;
    this.model = model;
    this.leftOut = leftOut;
    Set<SafetensorsFile> all = new LinkedHashSet<>();
    model.held().forEach(one -> all.add(files.file(one.tensor().name())));
    this.inOrder = List.copyOf(all);
  }

  /** Maps the file, or all that its index names. */
  static FileWeights open(Path file) throws IOException {
    SafetensorsModel files = SafetensorsModel.open(file);
    try {
      return of(file, files);
    } catch (RuntimeException | Error e) {
      files.close();
      throw e;
    }
  }

  private static FileWeights of(Path file, SafetensorsModel files) {
    // The same order in each process, whatever the files are in.
    Set<String> names = new TreeSet<>(files.tensors());
    int layers = names.stream().mapToInt(FileWeights::layer).max().orElse(-1) + 1;
    List<Model.Held> held = new ArrayList<>();
    for (String name : names) {
      SafetensorsEntry entry = entry(files, name);
      if (entry.dataType() != null && !entry.sizes().contains(0L)) {
        held.add(new Model.Held(entry.tensor(), depth(name, layers), cutting(entry.tensor())));
      }
    }
    if (held.isEmpty()) {
      throw new IllegalArgumentException(
          "expected tensors of types that weights have in " + file + ", got none");
    }
    List<Model.Wanted> wanted =
        held.stream().map(one -> new Model.Wanted(one.tensor().name(), List.of(one))).toList();
    return new FileWeights(files, new Model(held, wanted, layers), names.size() - held.size());
  }

  private static SafetensorsEntry entry(SafetensorsModel files, String name) {
    return Objects.requireNonNull(files.file(name).entry(name));
  }

  private static int layer(String name) {
    Matcher matcher = LAYER.matcher(name);
    return matcher.find() ? Integer.parseInt(matcher.group(1)) : -1;
  }

  private static double depth(String name, int layers) {
    int layer = layer(name);
    return layer >= 0 ? (double) layer / layers : BEHIND_LAYERS.matcher(name).find() ? 1 : 0;
  }

  private static Cutting cutting(Tensor tensor) {
    if (tensor.shape().dimensions() < 2) {
      return Cutting.NONE;
    }
    return SECOND.matcher(tensor.name()).find() ? Cutting.COLUMNS : Cutting.ROWS;
  }

  /** How many tensors are empty, or of a type that weights do not have. */
  int leftOut() {
    return leftOut;
  }

  /** All files, in the order of their first tensors. */
  List<SafetensorsFile> files() {
    return inOrder;
  }

  /** In which of {@link #files} a tensor is. */
  int file(Tensor tensor) {
    return inOrder.indexOf(files.file(tensor.name()));
  }

  /** Where it begins in that file. */
  long offset(Tensor tensor) {
    SafetensorsFile file = files.file(tensor.name());
    return file.offset(entry(files, tensor.name()));
  }

  @Override
  public Model model() {
    return model;
  }

  @Override
  public boolean changes() {
    return false;
  }

  @Override
  public void read(Model.Held of, Box box, long version, MemorySegment to) {
    Tensor tensor = of.tensor();
    if (!box.equals(Box.whole(tensor.shape()))) {
      throw new IllegalArgumentException("expected all of " + tensor + ", got " + box);
    }
    MemorySegment.copy(files.file(tensor.name()).bytes(tensor.name()), 0, to, 0, to.byteSize());
  }

  @Override
  public void close() {
    files.close();
  }
}
