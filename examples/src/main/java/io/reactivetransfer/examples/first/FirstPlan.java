package io.reactivetransfer.examples.first;

import io.reactivetransfer.weights.Content;
import io.reactivetransfer.weights.DataType;
import io.reactivetransfer.weights.FusedParts;
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
import io.reactivetransfer.weights.codec.WeightsCodec;
import io.reactivetransfer.weights.plan.Planner;
import io.reactivetransfer.weights.plan.RoutingTable;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

public final class FirstPlan {

  private static final Tensor Q = new Tensor("q", DataType.BF16, Shape.of(512, 256));
  private static final Tensor KV = new Tensor("kv", DataType.BF16, Shape.of(256, 256));
  private static final Tensor QKV = new Tensor("qkv", DataType.FP8_E4M3, Shape.of(768, 256));
  private static final Tensor SCALES = new Tensor("qkv.scale", DataType.FP32, Shape.of(6, 2));

  public static void main(String[] args) {
    // Two trainers: each has half of the rows of every tensor.
    Sharding sharded = Sharding.replicated(Mesh.of("train", Mesh.axis("fsdp", 2))).split(0, "fsdp");
    List<SourceRank> sources = new ArrayList<>();
    for (int rank = 0; rank < 2; rank++) {
      LocalPart q = sharded.of(Q, rank);
      LocalPart kv = sharded.of(KV, rank);
      sources.add(
          new SourceRank(
              Rank.of("trainer-" + rank, RegionSpec.registered(q.bytes() + kv.bytes())),
              List.of(
                  new SourceShare(Q, "dense", q.pieces(0, 0)),
                  new SourceShare(KV, "dense", kv.pieces(0, q.bytes())))));
    }

    // Two inference ranks: each has half of the rows of q, then half of those of kv, in fp8
    // with a scale for each block of 128 x 128.
    Sharding halves = Sharding.replicated(Mesh.of("serve", Mesh.axis("tp", 2))).split(0, "tp");
    Content made = Content.quantized(Recipe.fused(0, "q", "kv"), Quantization.perBlock(128, 128));
    List<TargetRank> targets = new ArrayList<>();
    for (int rank = 0; rank < 2; rank++) {
      long bytes = QKV.bytes() / 2;
      targets.add(
          new TargetRank(
              Rank.of("rank-" + rank, RegionSpec.registered(bytes + SCALES.bytes() / 2)),
              List.of(
                  new TargetShare(
                      QKV,
                      made,
                      new FusedParts(QKV, 0)
                          .part(512, halves)
                          .part(256, halves)
                          .pieces(rank, 0, 0)),
                  new TargetShare(
                      SCALES,
                      Content.scalesOf("qkv"),
                      new FusedParts(SCALES, 0)
                          .part(4, halves)
                          .part(2, halves)
                          .pieces(rank, 0, bytes)))));
    }

    // Once, wherever it suits; each trainer is then sent its part of the table.
    RoutingTable table = Planner.create().plan(sources, targets);
    System.out.print(table.print());
    System.out.print(table.cost());
    ByteBuffer bytes = WeightsCodec.encode(table.only(1));
    RoutingTable received = WeightsCodec.decodeTable(bytes);
    System.out.println(received.steps(1).size() + " steps in " + bytes.remaining() + " bytes.");
  }
}
