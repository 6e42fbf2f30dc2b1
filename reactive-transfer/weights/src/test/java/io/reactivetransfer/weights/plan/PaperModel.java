package io.reactivetransfer.weights.plan;

import io.reactivetransfer.weights.Content;
import io.reactivetransfer.weights.DataType;
import io.reactivetransfer.weights.LocalPart;
import io.reactivetransfer.weights.Mesh;
import io.reactivetransfer.weights.Quantization;
import io.reactivetransfer.weights.Rank;
import io.reactivetransfer.weights.Recipe;
import io.reactivetransfer.weights.RegionSpec;
import io.reactivetransfer.weights.Shape;
import io.reactivetransfer.weights.Sharding;
import io.reactivetransfer.weights.SourceRank;
import io.reactivetransfer.weights.SourceShare;
import io.reactivetransfer.weights.TargetRank;
import io.reactivetransfer.weights.TargetShare;
import io.reactivetransfer.weights.Tensor;
import java.util.ArrayList;
import java.util.List;

/**
 * A model of 10^12 parameters in 2,000 tensors, bf16 at 256 ranks of the trainer (pipeline 2,
 * expert 8, fully sharded 16), quantised to fp8 in blocks of 128 by 128 at 128 inference ranks
 * (experts over 32 of them, four times; all else replicated). Two ranks share two NICs.
 */
final class PaperModel {

  static final int LAYERS = 88;
  private static final int STAGES = 2;
  private static final int EXPERTS = 256;
  private static final int HIDDEN = 7168;

  final List<SourceRank> sources = new ArrayList<>();
  final List<TargetRank> targets = new ArrayList<>();

  private final List<Tensor> held = new ArrayList<>();
  private final List<Integer> stages = new ArrayList<>();
  private final List<Boolean> experts = new ArrayList<>();

  private final List<Tensor> wanted = new ArrayList<>();
  private final List<Content> contents = new ArrayList<>();
  private final List<Boolean> wantedExperts = new ArrayList<>();

  PaperModel() {
    for (int layer = 0; layer < LAYERS; layer++) {
      addLayer("layers." + layer + ".", layer * STAGES / LAYERS);
    }
    add("embed", 0, DataType.BF16, 163_840, HIDDEN);
    add("head", 1, DataType.BF16, 163_840, HIDDEN);
    addTrainer();
    addInference();
  }

  private void addLayer(String name, int stage) {
    long[][] quantized = {
      {1536, HIDDEN}, {12_288, 1536}, {576, HIDDEN}, {16_384, 512}, {HIDDEN, 8192}
    };
    for (int i = 0; i < quantized.length; i++) {
      addQuantized(name + "attention." + i, stage, false, quantized[i]);
    }
    addQuantized(name + "shared.down", stage, false, HIDDEN, 2048);
    hold(name + "shared.gate", stage, false, DataType.BF16, 2048, HIDDEN);
    hold(name + "shared.up", stage, false, DataType.BF16, 2048, HIDDEN);
    want(
        name + "shared.gate_up",
        false,
        Recipe.fused(0, name + "shared.gate", name + "shared.up"),
        4096,
        HIDDEN);
    for (int i = 0; i < 3; i++) {
      add(name + "norm." + i, stage, DataType.BF16, HIDDEN);
    }
    add(name + "router", stage, DataType.BF16, EXPERTS, HIDDEN);
    hold(name + "experts.gate", stage, true, DataType.BF16, EXPERTS, 2048, HIDDEN);
    hold(name + "experts.up", stage, true, DataType.BF16, EXPERTS, 2048, HIDDEN);
    want(
        name + "experts.gate_up",
        true,
        Recipe.fused(1, name + "experts.gate", name + "experts.up"),
        EXPERTS,
        4096,
        HIDDEN);
    addQuantized(name + "experts.down", stage, true, EXPERTS, HIDDEN, 2048);
    for (int i = 0; i < 8; i++) {
      add(name + "bias." + i, stage, DataType.FP32, EXPERTS);
    }
  }

  private void hold(String name, int stage, boolean isExpert, DataType type, long... sizes) {
    held.add(new Tensor(name, type, Shape.of(sizes)));
    stages.add(stage);
    experts.add(isExpert);
  }

  private void add(String name, int stage, DataType type, long... sizes) {
    hold(name, stage, false, type, sizes);
    wanted.add(new Tensor(name, type, Shape.of(sizes)));
    contents.add(Content.of(name));
    wantedExperts.add(false);
  }

  private void addQuantized(String name, int stage, boolean isExpert, long... sizes) {
    hold(name, stage, isExpert, DataType.BF16, sizes);
    want(name, isExpert, Recipe.of(name), sizes);
  }

  private void want(String name, boolean isExpert, Recipe recipe, long... sizes) {
    wanted.add(new Tensor(name, DataType.FP8_E4M3, Shape.of(sizes)));
    long[] block = sizes.length == 2 ? new long[] {128, 128} : new long[] {1, 128, 128};
    contents.add(Content.quantized(recipe, Quantization.perBlock(block)));
    wantedExperts.add(isExpert);
    long[] units = sizes.clone();
    for (int i = 0; i < units.length; i++) {
      units[i] = Math.ceilDiv(units[i], block[i]);
    }
    wanted.add(new Tensor(name + ".scale", DataType.FP32, Shape.of(units)));
    contents.add(Content.scalesOf(name));
    wantedExperts.add(isExpert);
  }

  private void addTrainer() {
    Mesh mesh =
        Mesh.of("train", Mesh.axis("pp", STAGES), Mesh.axis("ep", 8), Mesh.axis("fsdp", 16));
    for (int rank = 0; rank < mesh.ranks(); rank++) {
      List<SourceShare> shares = new ArrayList<>();
      long next = 0;
      for (int i = 0; i < held.size(); i++) {
        Tensor tensor = held.get(i);
        Sharding sharding = Sharding.replicated(mesh).at("pp", stages.get(i));
        sharding =
            experts.get(i) ? sharding.split(0, "ep").flat("fsdp") : sharding.split(0, "fsdp");
        LocalPart part = sharding.of(tensor, rank);
        if (!part.isEmpty()) {
          String group = experts.get(i) ? "experts" : "dense";
          shares.add(new SourceShare(tensor, group, part.pieces(0, next)));
          next += part.bytes();
        }
      }
      sources.add(new SourceRank(rank("trainer-", rank, next), shares));
    }
  }

  private void addInference() {
    Mesh mesh = Mesh.of("serve", Mesh.axis("copies", 4), Mesh.axis("ep", 32));
    for (int rank = 0; rank < mesh.ranks(); rank++) {
      List<TargetShare> shares = new ArrayList<>();
      long next = 0;
      for (int i = 0; i < wanted.size(); i++) {
        Tensor tensor = wanted.get(i);
        Sharding sharding = Sharding.replicated(mesh);
        sharding = wantedExperts.get(i) ? sharding.split(0, "ep") : sharding;
        LocalPart part = sharding.of(tensor, rank);
        shares.add(new TargetShare(tensor, contents.get(i), part.pieces(0, next)));
        next += part.bytes();
      }
      targets.add(new TargetRank(rank("rank-", rank, next), shares));
    }
  }

  private static Rank rank(String name, int number, long bytes) {
    String nic = name + number / 2 + "/nic";
    return Rank.of(name + number, RegionSpec.registered(bytes)).withNics(nic + 0, nic + 1);
  }

  int tensors() {
    return held.size();
  }

  int wanted() {
    return wanted.size();
  }

  long parameters() {
    return held.stream().mapToLong(tensor -> tensor.shape().elements()).sum();
  }
}
