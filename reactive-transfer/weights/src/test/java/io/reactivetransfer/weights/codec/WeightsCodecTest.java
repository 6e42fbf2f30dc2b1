package io.reactivetransfer.weights.codec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivetransfer.weights.Content;
import io.reactivetransfer.weights.DataType;
import io.reactivetransfer.weights.Quantization;
import io.reactivetransfer.weights.Rank;
import io.reactivetransfer.weights.Recipe;
import io.reactivetransfer.weights.RegionSpec;
import io.reactivetransfer.weights.Shape;
import io.reactivetransfer.weights.SourceRank;
import io.reactivetransfer.weights.TargetRank;
import io.reactivetransfer.weights.Tensor;
import io.reactivetransfer.weights.plan.Planner;
import io.reactivetransfer.weights.plan.RandomModel;
import io.reactivetransfer.weights.plan.RoutingTable;
import io.reactivetransfer.weights.plan.Runs;
import io.reactivetransfer.weights.plan.Step;
import io.reactivetransfer.weights.plan.TableTensor;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Test;

/** What is written is read as the same, and nothing else is read. */
class WeightsCodecTest {

  /** One write of two rows between two ranks. */
  static RoutingTable small() {
    Rank source = new Rank("s", List.of(RegionSpec.registered(300)), List.of("n"));
    Rank target = new Rank("t", List.of(RegionSpec.registered(8)), List.of("m"));
    TableTensor tensor =
        new TableTensor(new Tensor("w", DataType.INT8, Shape.of(2, 4)), 0, null, -1);
    Runs runs = Runs.builder().from(new int[] {0}, 0, 200, 0, 0).rows(4, 2, 16, 4).build();
    return new RoutingTable(
        List.of(source),
        List.of(target),
        List.of("g"),
        List.of(tensor),
        List.of("u"),
        List.of(List.of(new Step.Write(3, 0, runs))));
  }

  static byte[] bytes(ByteBuffer buffer) {
    byte[] bytes = new byte[buffer.remaining()];
    buffer.duplicate().get(bytes);
    return bytes;
  }

  /** With the checksum that its bytes have. */
  static byte[] sealed(byte[] bytes) {
    if (bytes.length < Integer.BYTES) {
      return bytes;
    }
    CRC32C checksum = new CRC32C();
    checksum.update(bytes, 0, bytes.length - Integer.BYTES);
    byte[] sealed = bytes.clone();
    ByteBuffer.wrap(sealed).putInt(bytes.length - Integer.BYTES, (int) checksum.getValue());
    return sealed;
  }

  /** Frames fields with a header and a checksum. */
  private static ByteBuffer framed(int version, int kind, String hex) {
    byte[] fields = HexFormat.of().parseHex(hex.replace(" ", ""));
    byte[] bytes = new byte[2 + fields.length + Integer.BYTES];
    bytes[0] = (byte) version;
    bytes[1] = (byte) kind;
    System.arraycopy(fields, 0, bytes, 2, fields.length);
    return ByteBuffer.wrap(sealed(bytes));
  }

  /** As docs/weights.md has it. */
  private static final String SMALL =
      "01 0173 01 016e 01 ac02 01" // a source rank with a NIC and a region
          + " 01 0174 01 016d 01 08 01" // a target rank
          + " 01 0167" // a group
          + " 01 0177 05 02 02 04 00 00" // a tensor
          + " 01 0175" // an unused one
          + " 01 01 00" // a set of targets
          + " 01 01 03 00" // a step
          + " 01 00 02 00 c801 00 04 02 10 04"; // its run

  @Test
  void aTableByteByByte() {
    assertThat(bytes(WeightsCodec.encode(small()))).isEqualTo(bytes(framed(1, 1, SMALL)));
    assertThat(WeightsCodec.decodeTable(framed(1, 1, SMALL))).isEqualTo(small());
  }

  @Test
  void whateverIsPlannedIsReadAsTheSame() {
    for (long seed = 0; seed < 200; seed++) {
      RandomModel model = new RandomModel(seed);
      RoutingTable table =
          Planner.create().stepBytes(64).shareBytes(64).plan(model.sources, model.targets);
      ByteBuffer bytes = WeightsCodec.encode(table);
      assertThat(WeightsCodec.decodeTable(bytes)).as("seed %d", seed).isEqualTo(table);
      List<SourceRank> sources = new ArrayList<>();
      for (SourceRank rank : model.sources) {
        sources.add(WeightsCodec.decodeSourceRank(WeightsCodec.encode(rank)));
      }
      List<TargetRank> targets = new ArrayList<>();
      for (TargetRank rank : model.targets) {
        targets.add(WeightsCodec.decodeTargetRank(WeightsCodec.encode(rank)));
      }
      assertThat(sources).as("seed %d", seed).isEqualTo(model.sources);
      assertThat(targets).as("seed %d", seed).isEqualTo(model.targets);
      RoutingTable only = table.only(0);
      RoutingTable read = WeightsCodec.decodeTable(WeightsCodec.encode(only));
      assertThat(read).isEqualTo(only);
      assertThat(read.part()).hasValue(0);
    }
  }

  private static void requireRefused(ByteBuffer bytes, String why) {
    assertThatThrownBy(() -> WeightsCodec.decodeTable(bytes))
        .isInstanceOf(WeightsFormatException.class)
        .hasMessage("not a routing table: " + why);
  }

  @Test
  void bytesThatAreNoTable() {
    byte[] good = bytes(WeightsCodec.encode(small()));
    requireRefused(ByteBuffer.allocate(0), "expected 6 bytes or more, got 0 (truncated?)");
    requireRefused(
        framed(2, 1, SMALL),
        "expected version 1, got version 2; let all ranks run the same release");
    requireRefused(framed(1, 2, SMALL), "expected a routing table, got a source rank");
    requireRefused(framed(1, 77, SMALL), "expected a routing table, got nothing known");
    requireRefused(
        ByteBuffer.wrap(Arrays.copyOf(good, good.length - 1)),
        "expected a matching checksum, got another one (truncated or damaged?)");
    requireRefused(
        framed(1, 1, SMALL + "00"), "expected no bytes behind the last field, got 1 of them");
    requireRefused(
        framed(1, 1, SMALL.substring(0, SMALL.length() - 2)),
        "expected a byte of target stride, got none (truncated?)");
    requireRefused(
        framed(1, 1, SMALL.replace("ac02", "ac8200")),
        "expected bytes of a region in as few bytes as it needs, got more");
    requireRefused(
        framed(1, 1, SMALL.replace("ac02", "ffffffffffffffffff7f")),
        "expected bytes of a region in at most 9 bytes, got more");
    requireRefused(
        framed(1, 1, SMALL.replace("01 0173", "0a 0173")),
        "expected 1 to 8 as number of ranks, got 10");
    requireRefused(
        framed(1, 1, SMALL.replace("0173 01 016e", "01ff 01 016e")),
        "expected UTF-8 as the name of a rank, got bytes that are something else");
    requireRefused(
        framed(1, 1, SMALL.replace("0173 01 016e", "0107 01 016e")),
        "expected characters that can be shown in the name of a rank, got U+0007 at position 0");
    requireRefused(
        framed(1, 1, SMALL.replace("05 02 02 04", "09 02 02 04")),
        "expected 0 to 6 as type, got 9");
    requireRefused(
        framed(1, 1, SMALL.replace("01 01 03 00", "01 04 03 00")),
        "expected 1 to 3 as kind of a step, got 4");
    requireRefused(
        framed(1, 1, SMALL.replace("01 01 03 00", "02 01 ffffffffffffffff7f 00 00 01 00 00")),
        "expected an order below 2^63, got a larger one");
  }

  @Test
  void setsOfTargets() {
    requireRefused(
        framed(1, 1, SMALL.replace("0175 01 01 00", "0175 02 01 00 01 00")),
        "expected each set of targets once, got one of 1 again");
    requireRefused(
        framed(1, 1, SMALL.replace("0175 01 01 00", "0175 02 01 00 01 01")),
        "expected runs for all 2 sets of targets, got runs for 1");
    requireRefused(
        framed(1, 1, SMALL.replace("0175 01 01 00", "0175 01 02 00 00")),
        "expected 1 to 1048575 as target, got 0");
    requireRefused(
        framed(1, 1, SMALL.replace("0175 01 01 00", "0175 01 02 00 01")),
        "expected a target of 0 to 0, got 1");
  }

  @Test
  void tablesThatLeadSomewhereElse() {
    String run = "01 00 02 00 c801 00 04 02 10 04";
    requireRefused(
        framed(1, 1, SMALL.replace(run, "01 01 02 00 c801 00 04 02 10 04")),
        "expected 0 to 0 as set of targets, got 1");
    requireRefused(
        framed(1, 1, SMALL.replace(run, "01 00 03 00 c801 00 04 02 10 04")),
        "expected a region of rank s of 0 to 0, got 1");
    requireRefused(
        framed(1, 1, SMALL.replace(run, "01 00 02 01 c801 00 04 02 10 04")),
        "expected a region of rank t of 0 to 0, got 1");
    requireRefused(
        framed(1, 1, SMALL.replace(run, "01 00 02 00 9902 00 04 02 10 04")),
        "expected runs within the 300 bytes of the source, got 281 and 20 more");
    requireRefused(
        framed(1, 1, SMALL.replace(run, "01 00 02 00 c801 01 04 02 10 04")),
        "expected runs within the 8 bytes of the target, got 1 and 8 more");
    requireRefused(
        framed(1, 1, SMALL.replace(run, "01 00 02 00 c801 00 04 02 10 03")),
        "expected rows of 4 bytes that lie apart at the target, got strides of 16 and 3");
    requireRefused(
        framed(1, 1, SMALL.replace(run, "01 00 01 00 c801 00 04 02 10 04")),
        "expected a region of rank s of 0 to 0, got -1");
    requireRefused(
        framed(1, 1, SMALL.replace("ac02 01", "ac02 00")),
        "expected registered memory to write from, got RegionSpec[bytes=300, isRegistered=false]");
  }

  @Test
  void descriptionsThatCannotBe() {
    String share = "01 0177 05 01 04";
    String rank = "0173 01 016e 01 08 01";
    String pieces = "01 00 04 00 00 01";
    assertThat(
            WeightsCodec.decodeTargetRank(framed(1, 3, rank + share + "01 01 0177 00" + pieces))
                .tensors())
        .hasSize(1);
    requireRefusedTarget(
        rank + share + "01 01 0177 00 01 00 04 00 05 01",
        "expected tensor w within the memory of rank s, got [0:4] in region 0 up to byte 9 of 8");
    requireRefusedTarget(
        rank + share + "01 01 0177 04" + pieces, "expected 0 to 3 as quantisation, got 4");
    requireRefusedTarget(
        rank + share + "03 01 0177 00" + pieces, "expected 1 to 2 as content, got 3");
    requireRefusedTarget(
        rank + share + "01" + "06 00 00".repeat(16) + "01 0177 00" + pieces,
        "expected a recipe of at most 16 levels, got more");
    requireRefusedTarget(
        rank + share + "01 02 02 00 00 01 0177 00" + pieces,
        "expected each of 0 to 1 once, got [0, 0]");
  }

  private static void requireRefusedTarget(String hex, String why) {
    assertThatThrownBy(() -> WeightsCodec.decodeTargetRank(framed(1, 3, hex)))
        .isInstanceOf(WeightsFormatException.class)
        .hasMessage("not a target rank: " + why);
  }

  @Test
  void everyKindOfRecipeIsReadAsTheSame() {
    Recipe all =
        Recipe.stacked(
            1,
            Recipe.fused(0, "a", "b"),
            new Recipe.Picked(Recipe.transposed("c"), 0, 300),
            new Recipe.Sliced(
                Recipe.of("d"),
                io.reactivetransfer.weights.Box.of(new long[] {1, 200}, new long[] {3, 1})));
    for (Content content :
        List.of(
            Content.of(all),
            Content.scalesOf("x"),
            Content.quantized(all, Quantization.perTensor()),
            Content.quantized(all, Quantization.perChannel(1)),
            Content.quantized(all, Quantization.perBlock(128, 1)))) {
      Tensor tensor = new Tensor("w", DataType.FP8_E4M3, Shape.of());
      TargetRank rank =
          new TargetRank(
              Rank.of("r", RegionSpec.registered(1)),
              List.of(
                  new io.reactivetransfer.weights.TargetShare(
                      tensor,
                      content,
                      List.of(
                          new io.reactivetransfer.weights.Piece(
                              io.reactivetransfer.weights.Box.whole(Shape.of()),
                              io.reactivetransfer.weights.Place.of(0, 0))))));
      assertThat(WeightsCodec.decodeTargetRank(WeightsCodec.encode(rank))).isEqualTo(rank);
    }
  }
}
