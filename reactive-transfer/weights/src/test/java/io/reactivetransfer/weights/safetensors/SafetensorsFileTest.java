package io.reactivetransfer.weights.safetensors;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.reactivetransfer.weights.DataType;
import io.reactivetransfer.weights.Shape;
import io.reactivetransfer.weights.Tensor;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.Pipe;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.Random;
import java.util.concurrent.FutureTask;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What is written is read as the same; a file that lies is refused, by the name of the tensor. */
class SafetensorsFileTest {

  private static final Tensor W = new Tensor("layers.0.w", DataType.BF16, Shape.of(3, 4));
  private static final Tensor B = new Tensor("b", DataType.FP32, Shape.of());

  @TempDir private Path directory;

  static byte[] file(String json, int bytes) {
    byte[] header = json.getBytes(StandardCharsets.UTF_8);
    return ByteBuffer.allocate(Long.BYTES + header.length + bytes)
        .order(ByteOrder.LITTLE_ENDIAN)
        .putLong(header.length)
        .put(header)
        .array();
  }

  private static void requireRefused(byte[] file, String why) {
    assertThatThrownBy(() -> SafetensorsHeader.read("f", MemorySegment.ofArray(file)))
        .isInstanceOf(SafetensorsFormatException.class)
        .hasMessage("f: expected " + why);
  }

  private static void requireRefused(String json, int bytes, String why) {
    requireRefused(file(json, bytes), why);
  }

  private static MemorySegment random(Arena arena, Tensor tensor) {
    byte[] bytes = new byte[(int) tensor.bytes()];
    new Random(7).nextBytes(bytes);
    return arena.allocateFrom(ValueLayout.JAVA_BYTE, bytes);
  }

  @Test
  void whatIsWrittenIsReadAsTheSame() throws IOException {
    Path path = directory.resolve("model.safetensors");
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment w = random(arena, W);
      MemorySegment b = random(arena, B);
      Files.writeString(path, "what was there before");
      new SafetensorsWriter().metadata("format", "pt").tensor(W, w).tensor(B, b).write(path);
      try (SafetensorsFile file = SafetensorsFile.open(path)) {
        assertThat(file.metadata()).containsOnlyKeys("format").containsValue("pt");
        assertThat(file.entries()).extracting(SafetensorsEntry::tensor).containsExactly(W, B);
        assertThat(file.bytes(W.name()).mismatch(w)).isEqualTo(-1);
        assertThat(file.bytes(B.name()).mismatch(b)).isEqualTo(-1);
        assertThat(file.bytes(W.name()).isReadOnly()).isTrue();
        assertThat(file.offset(file.entries().iterator().next()) % 8).isZero();
        assertThatThrownBy(() -> file.bytes("v"))
            .isInstanceOf(IllegalArgumentException.class)
            .hasMessage("expected a tensor of model.safetensors, got none named v");
      }
    }
    try (Stream<Path> left = Files.list(directory)) {
      assertThat(left).as("nothing is left over").containsExactly(path);
    }
  }

  /** What one user writes, others read as they would any file, such as an inference engine. */
  @Test
  void aFileHasThePermissionsOfANewOneOrOfTheOneThatItReplaces() throws IOException {
    assumeTrue(Files.getFileStore(directory).supportsFileAttributeView("posix"));
    Path path = directory.resolve("model.safetensors");
    SafetensorsWriter writer =
        new SafetensorsWriter().tensor(B, MemorySegment.ofArray(new byte[4]));
    writer.write(path);
    Path other = Files.createFile(directory.resolve("other"));
    assertThat(Files.getPosixFilePermissions(path)).isEqualTo(Files.getPosixFilePermissions(other));
    for (String permissions : new String[] {"rw-rw-r--", "r--r-----"}) {
      Files.setPosixFilePermissions(path, PosixFilePermissions.fromString(permissions));
      writer.write(path);
      assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(path)))
          .isEqualTo(permissions);
    }
  }

  @Test
  void otherTypesAndEmptyTensorsAreThere() {
    String json =
        """
        {"i":{"dtype":"I64","shape":[2],"data_offsets":[0,16]},
         "none":{"dtype":"F16","shape":[0,3],"data_offsets":[16,16]}}\s\s\
        """;
    SafetensorsHeader header = SafetensorsHeader.read("f", MemorySegment.ofArray(file(json, 16)));
    SafetensorsEntry integers = header.entries().get("i");
    assertThat(integers.dataType()).isNull();
    assertThatThrownBy(integers::tensor)
        .hasMessage("expected tensor i of a type that weights have, got I64");
    assertThat(header.entries().get("none").sizes()).containsExactly(0L, 3L);
  }

  @ParameterizedTest
  @CsvSource({
    "F4, 6, 3", "F6_E2M3, 4, 3", "F6_E3M2, 8, 6", "F8_E8M0, 3, 3", "F8_E4M3FNUZ, 3, 3",
    "F8_E5M2FNUZ, 3, 3", "C64, 2, 16", "BOOL, 3, 3", "U16, 2, 4", "I32, 1, 4"
  })
  void typesThatWeightsCannotHaveAreReadAsBytes(String type, int elements, int bytes) {
    String json = "{\"t\":{\"dtype\":\"%s\",\"shape\":[%d],\"data_offsets\":[0,%d]}}";
    byte[] file = file(json.formatted(type, elements, bytes), bytes);
    SafetensorsHeader header = SafetensorsHeader.read("f", MemorySegment.ofArray(file));
    SafetensorsEntry entry = header.entries().values().iterator().next();
    assertThat(entry.type()).isEqualTo(type);
    assertThat(entry.end()).isEqualTo(bytes);
    assertThat(entry.dataType()).isNull();
  }

  /** Each number would take ten times the memory of its text. */
  @Test
  void aTensorOfMoreDimensionsThanAnybodyHas() {
    requireRefused(
        "{\"w\":{\"dtype\":\"U8\",\"data_offsets\":[0,1],\"shape\":[1" + ",1".repeat(64) + "]}}",
        1,
        "at most 64 numbers in shape of tensor w, got more");
  }

  /** Whoever opens a pipe waits for somebody who writes to it. */
  @Test
  void whatIsNoFile() {
    assertThatThrownBy(() -> SafetensorsFile.open(directory))
        .isInstanceOf(SafetensorsFormatException.class)
        .hasMessageEndingWith(": expected a file, got a directory, a device or a pipe");
    assertThatThrownBy(() -> SafetensorsFile.open(directory.resolve("nothing")))
        .isInstanceOf(NoSuchFileException.class);
  }

  @Test
  void anIndexThatIsNone() throws IOException {
    Path path = Files.writeString(directory.resolve("config.json"), "{\"model_type\":\"llama\"}");
    assertThatThrownBy(() -> SafetensorsModel.open(path))
        .isInstanceOf(SafetensorsFormatException.class)
        .hasMessage("config.json: expected an index, which has a weight_map, got JSON without one");
    Files.writeString(path, "{\"weight_map\":{}} {");
    assertThatThrownBy(() -> SafetensorsModel.open(path))
        .hasMessage("config.json: expected nothing behind the JSON of the index, got more");
    Files.writeString(path, "[]");
    assertThatThrownBy(() -> SafetensorsModel.open(path))
        .hasMessage("config.json: expected the index as an object, got START_ARRAY");
  }

  /** It is refused by the index's name, whatever the system thinks of such a name. */
  @Test
  void anIndexThatNamesWhatNoFileIsCalled() throws IOException {
    Path path = directory.resolve("model.json");
    Files.writeString(path, "{\"weight_map\":{\"w\":\"a\\ud800\"}}");
    assertThatThrownBy(() -> SafetensorsModel.open(path))
        .isInstanceOf(SafetensorsFormatException.class)
        .hasMessage("model.json: expected names that a file can have here, got 'a?'");
  }

  /** Four bytes to a character, and one that there is not. */
  @Test
  void anIndexInUtf32ThatIsNone() throws IOException {
    Path path = directory.resolve("model.json");
    Files.write(path, new byte[] {0, 0, 0, '{', 0, 0, 0, '"', 0x7f, 0, 0, 0});
    assertThatThrownBy(() -> SafetensorsModel.open(path))
        .isInstanceOf(SafetensorsFormatException.class)
        .hasMessageStartingWith("model.json: expected an index in JSON, got Invalid UTF-32");
  }

  @Test
  void tornFiles() {
    requireRefused(new byte[7], "10 bytes or more, got 7 (truncated?)");
    requireRefused(new byte[8], "10 bytes or more, got 8 (truncated?)");
    requireRefused(new byte[20], "a header of 2 to 12 bytes, got 0 (truncated?)");
    byte[] long1 = file("{}", 0);
    long1[7] = -1;
    requireRefused(long1, "a header of 2 to 2 bytes, got 18374686479671623682 (truncated?)");
    requireRefused("[]", 0, "a header in UTF-8 that begins with {, got something else");
    requireRefused("{\0}\0", 0, "a header in UTF-8 that begins with {, got something else");
    requireRefused("{} {", 0, "nothing behind the JSON of the header, got more");
    requireRefused("{}", 1, "tensors for all 1 bytes behind the header, got for 0");
    requireRefused(
        "{\"w\":{\"dtype\":\"I8\",\"shape\":[4],\"data_offsets\":[0,4]}}",
        3,
        "tensor w within the 3 bytes behind the header, got its end at 4 (truncated?)");
  }

  @Test
  void tensorsThatOverlapOrLeaveGaps() {
    String two =
        "{\"w\":{\"dtype\":\"I8\",\"shape\":[4],\"data_offsets\":[0,4]},"
            + "\"v\":{\"dtype\":\"I8\",\"shape\":[4],\"data_offsets\":[%d,%d]}}";
    requireRefused(
        two.formatted(3, 7),
        7,
        "tensor v behind the one before, at 4, got it at 3, where they overlap");
    requireRefused(two.formatted(5, 9), 9, "tensor v behind the one before, at 4, got it at 5");
    requireRefused(
        two.formatted(0, 4),
        4,
        "tensor w behind the one before, at 4, got it at 0, where they overlap");
  }

  @Test
  void tensorsThatLie() {
    String one = "{\"w\":{\"dtype\":%s,\"shape\":%s,\"data_offsets\":%s}}";
    String apart = "data_offsets of tensor w as far apart as ";
    requireRefused(
        one.formatted("\"BF16\"", "[4]", "[0,4]"), 4, apart + "BF16 [4] is long, got 0 and 4");
    requireRefused(
        one.formatted("\"BF16\"", "[4]", "[8,0]"), 8, apart + "BF16 [4] is long, got 8 and 0");
    requireRefused(
        one.formatted("\"F64\"", "[4611686018427387904,4]", "[0,0]"),
        0,
        apart + "F64 [4611686018427387904, 4] is long, got 0 and 0");
    requireRefused(
        one.formatted("\"F4\"", "[3]", "[0,2]"), 2, "whole bytes of tensor w, got F4 [3]");
    requireRefused(
        one.formatted("\"F6_E2M3\"", "[4]", "[0,4]"),
        4,
        apart + "F6_E2M3 [4] is long, got 0 and 4");
    requireRefused(
        one.formatted("\"F5\"", "[1]", "[0,1]"), 1, "a type of the format for tensor w, got F5");
    requireRefused(
        one.formatted("7", "[1]", "[0,1]"), 1, "strings in tensor w, got VALUE_NUMBER_INT");
    String numbers = "whole numbers of 0 to 2^63 - 1 in shape of tensor w, got something else";
    requireRefused(one.formatted("\"I8\"", "[-1]", "[0,1]"), 1, numbers);
    requireRefused(one.formatted("\"I8\"", "[1.0]", "[0,1]"), 1, numbers);
    requireRefused(one.formatted("\"I8\"", "[9223372036854775808]", "[0,1]"), 1, numbers);
    requireRefused(
        one.formatted("\"I8\"", "{}", "[0,1]"),
        1,
        "shape of tensor w as an array, got START_OBJECT");
    String all = "dtype, shape and two data_offsets of tensor w, got fewer, or more";
    requireRefused(one.formatted("\"I8\"", "[1]", "[0,1,1]"), 1, all);
    requireRefused("{\"w\":{\"dtype\":\"I8\",\"shape\":[1]}}", 1, all);
    requireRefused("{\"w\":[]}", 0, "tensor w as an object, got START_ARRAY");
    requireRefused(
        "{\"w\":{\"a\\u001b\":1}}", 0, "dtype, shape and data_offsets of tensor w, got a?");
    requireRefused(
        "{\"__metadata__\":{\"a\":1}}", 0, "strings in __metadata__, got VALUE_NUMBER_INT");
    String twice = "\"w\":{\"dtype\":\"I8\",\"shape\":[1],\"data_offsets\":[0,1]}";
    requireRefused("{" + twice + "," + twice + "}", 1, "a header in JSON, got Duplicate field 'w'");
  }

  @Test
  void whatCannotBeWritten() {
    SafetensorsWriter writer = new SafetensorsWriter();
    MemorySegment bytes = MemorySegment.ofArray(new byte[24]);
    Tensor packed = new Tensor("p", DataType.INT4, Shape.of(48));
    assertThatThrownBy(() -> writer.tensor(packed, bytes))
        .hasMessage("expected tensor p of a type of the format, got INT4");
    assertThatThrownBy(() -> writer.tensor(B, bytes))
        .hasMessage("expected 4 bytes of tensor b FP32 [], got 24");
    writer.tensor(W, bytes);
    assertThatThrownBy(() -> writer.tensor(W, bytes))
        .hasMessage("expected each tensor once, got layers.0.w");
  }

  @Test
  void whatTheReaderWouldRefuseIsNotWritten() throws IOException {
    Path path = Files.writeString(directory.resolve("model.safetensors"), "what was there before");
    SafetensorsWriter writer = new SafetensorsWriter();
    assertThatThrownBy(() -> writer.metadata("a", null)).isInstanceOf(NullPointerException.class);
    String text = "x".repeat(10_000_000);
    for (int i = 0; i < 10; i++) {
      writer.metadata("m" + i, text);
    }
    assertThatThrownBy(() -> writer.write(path))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("expected a header of at most 100000000 bytes, got 1000001");
    assertThat(path).hasContent("what was there before");
  }

  // In a usual build what is written has a short header, and one that is too long is refused.
  @Tag("nightly")
  @Test
  void aHeaderOfNearlyTheMostIsReadAsTheSame() throws IOException {
    Path path = directory.resolve("model.safetensors");
    SafetensorsWriter writer = new SafetensorsWriter();
    String text = "x".repeat(10_000_000);
    for (int i = 0; i < 9; i++) {
      writer.metadata("m" + i, text);
    }
    writer.metadata("m9", "").write(path);
    try (SafetensorsFile file = SafetensorsFile.open(path)) {
      assertThat(file.metadata()).hasSize(10).containsEntry("m8", text);
    }
  }

  private void writeModel() throws IOException {
    MemorySegment w = MemorySegment.ofArray(new byte[24]).fill((byte) 1);
    MemorySegment b = MemorySegment.ofArray(new byte[4]).fill((byte) 2);
    new SafetensorsWriter().tensor(W, w).write(directory.resolve("one.safetensors"));
    new SafetensorsWriter().tensor(B, b).write(directory.resolve("two.safetensors"));
  }

  private Path index(String map) throws IOException {
    String json = "{\"metadata\":{\"total_size\":28},\"weight_map\":{" + map + "}}";
    return Files.writeString(directory.resolve("index.json"), json);
  }

  @Test
  void aModelInSeveralFiles() throws IOException {
    writeModel();
    Path index = index("\"layers.0.w\":\"one.safetensors\",\"b\":\"two.safetensors\"");
    try (SafetensorsModel model = SafetensorsModel.open(index)) {
      assertThat(model.tensors()).containsExactly("layers.0.w", "b");
      assertThat(model.file("b").bytes("b").get(ValueLayout.JAVA_BYTE, 3)).isEqualTo((byte) 2);
      assertThatThrownBy(() -> model.file("v"))
          .hasMessage("expected a tensor of the model, got none named v");
    }
    try (SafetensorsModel model = SafetensorsModel.open(directory.resolve("two.safetensors"))) {
      assertThat(model.tensors()).containsExactly("b");
    }
  }

  /** A file that the JDK writes to a pipe that nobody empties, as to a slow connection. */
  private static final class Held implements AutoCloseable {
    private final Pipe pipe;
    private final ByteBuffer all;
    private final FutureTask<Integer> writing;

    Held(SafetensorsFile file) throws IOException {
      pipe = Pipe.open();
      all = file.all().asByteBuffer();
      writing = new FutureTask<>(() -> pipe.sink().write(all));
      Thread.ofPlatform().daemon().start(writing);
      pipe.source().read(ByteBuffer.allocate(1)); // it writes now
    }

    @Override
    public void close() throws IOException {
      ByteBuffer some = ByteBuffer.allocate(1 << 16);
      long left = all.capacity() - 1L;
      while (left > 0) {
        left -= pipe.source().read(some.clear());
      }
      assertThat(writing).succeedsWithin(Duration.ofSeconds(40)).isEqualTo(all.capacity());
      pipe.sink().close();
      pipe.source().close();
    }
  }

  @Test
  @Timeout(120)
  void aModelThatIsClosedTwiceOrInPart() throws IOException {
    MemorySegment bytes = MemorySegment.ofArray(new byte[1 << 20]);
    for (String name : new String[] {"a", "b", "c"}) {
      Tensor tensor = new Tensor(name, DataType.INT8, Shape.of(1 << 20));
      new SafetensorsWriter().tensor(tensor, bytes).write(directory.resolve(name));
    }
    SafetensorsModel model = SafetensorsModel.open(index("\"a\":\"a\",\"b\":\"b\",\"c\":\"c\""));
    try (Held _ = new Held(model.file("a"));
        Held _ = new Held(model.file("b"))) {
      assertThatThrownBy(model::close)
          .isInstanceOf(IllegalStateException.class)
          .satisfies(failure -> assertThat(failure.getSuppressed()).hasSize(1));
      assertThat(model.file("a").all().scope().isAlive()).isTrue();
      assertThat(model.file("c").all().scope().isAlive()).isFalse();
    }
    model.close();
    assertThat(model.file("a").all().scope().isAlive()).isFalse();
    model.close();
    model.file("a").close();
  }

  private void requireIndexRefused(String map, String why) throws IOException {
    Path index = index(map);
    assertThatThrownBy(() -> SafetensorsModel.open(index))
        .isInstanceOf(SafetensorsFormatException.class)
        .hasMessage("index.json: expected " + why);
  }

  @Test
  void anIndexThatLies() throws IOException {
    writeModel();
    requireIndexRefused(
        "\"b\":\"one.safetensors\"", "tensor b in one.safetensors, got none of that name");
    Files.copy(directory.resolve("two.safetensors"), directory.resolve("three.safetensors"));
    new SafetensorsWriter()
        .tensor(W, MemorySegment.ofArray(new byte[24]))
        .tensor(B, MemorySegment.ofArray(new byte[4]))
        .write(directory.resolve("both.safetensors"));
    requireIndexRefused(
        "\"b\":\"both.safetensors\"",
        "tensor layers.0.w of both.safetensors in the index, got none");
    requireIndexRefused(
        "\"b\":\"three.safetensors\",\"layers.0.w\":\"both.safetensors\"",
        "tensor b of both.safetensors in the index, got it from another file");
    for (String elsewhere : new String[] {"../one.safetensors", "", "..", "a\\\\b"}) {
      requireIndexRefused(
          "\"b\":\"" + elsewhere + "\"",
          "files beside the index, got '" + elsewhere.replace("\\\\", "\\") + "', elsewhere");
    }
    requireIndexRefused("\"b\":\"x\",\"b\":\"y\"", "an index in JSON, got Duplicate field 'b'");
  }

  @Test
  void anIndexThatNamesWhatCannotBeReached() throws IOException {
    Path index = index("\"b\":\"none.safetensors\"");
    assertThatThrownBy(() -> SafetensorsModel.open(index))
        .isInstanceOf(NoSuchFileException.class)
        .hasMessage(
            directory.resolve("none.safetensors")
                + ": expected a file that the index index.json names, got none");
    Files.createSymbolicLink(directory.resolve("none.safetensors"), Path.of("none.safetensors"));
    assertThatThrownBy(() -> SafetensorsModel.open(index))
        .isInstanceOf(FileSystemException.class)
        .hasMessageStartingWith(
            directory.resolve("none.safetensors")
                + ": expected a file that the index index.json names, got ");
  }

  @Test
  void linksThatLeadElsewhere() throws IOException {
    Path blobs = Files.createDirectory(directory.resolve("blobs"));
    Path snapshot = Files.createDirectory(directory.resolve("snapshot"));
    new SafetensorsWriter()
        .tensor(B, MemorySegment.ofArray(new byte[4]))
        .write(blobs.resolve("0f"));
    Files.createSymbolicLink(snapshot.resolve("one.safetensors"), Path.of("../blobs/0f"));
    Path index = snapshot.resolve("index.json");
    Files.writeString(index, "{\"weight_map\":{\"b\":\"one.safetensors\"}}");
    assertThatThrownBy(() -> SafetensorsModel.open(index))
        .isInstanceOf(SafetensorsFormatException.class)
        .hasMessage(
            "index.json: expected files within the folder "
                + snapshot
                + ", got one.safetensors, a link to elsewhere");
    assertThatThrownBy(() -> SafetensorsModel.openWithin(index, snapshot))
        .isInstanceOf(SafetensorsFormatException.class)
        .hasMessageEndingWith("a link to elsewhere");
    assertThatThrownBy(
            () -> SafetensorsModel.openWithin(snapshot.resolve("one.safetensors"), snapshot))
        .isInstanceOf(SafetensorsFormatException.class)
        .hasMessageEndingWith("a link to elsewhere");
    try (SafetensorsModel model = SafetensorsModel.openWithin(index, directory)) {
      assertThat(model.tensors()).containsExactly("b");
    }
  }

  @Test
  void aFolderThatIsALinkAndLinksWithinItAreFollowed() throws IOException {
    Path folder = Files.createDirectory(directory.resolve("folder"));
    new SafetensorsWriter()
        .tensor(B, MemorySegment.ofArray(new byte[4]))
        .write(folder.resolve("one.safetensors"));
    Files.createSymbolicLink(folder.resolve("two.safetensors"), Path.of("one.safetensors"));
    Files.writeString(folder.resolve("index.json"), "{\"weight_map\":{\"b\":\"two.safetensors\"}}");
    Path link = Files.createSymbolicLink(directory.resolve("link"), folder);
    try (SafetensorsModel model = SafetensorsModel.open(link.resolve("index.json"))) {
      assertThat(model.tensors()).containsExactly("b");
    }
  }
}
