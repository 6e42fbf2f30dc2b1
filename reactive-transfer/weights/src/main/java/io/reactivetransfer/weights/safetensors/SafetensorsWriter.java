package io.reactivetransfer.weights.safetensors;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import io.reactivetransfer.weights.Tensor;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.CharBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;

/**
 * Writes a file of tensors. It is there whole, or not at all: it is written beside its place, and
 * then moved.
 */
public final class SafetensorsWriter {

  /** So that the tensors behind the header are aligned. */
  private static final int ALIGNMENT = 8;

  private static final int CHUNK_BYTES = 1 << 30;

  private static final JsonFactory JSON = new JsonFactory();

  private final Map<String, String> metadata = new TreeMap<>();
  private final List<Tensor> tensors = new ArrayList<>();
  private final Set<String> names = new HashSet<>();
  private final List<MemorySegment> bytes = new ArrayList<>();

  /** Begins without tensors. */
  public SafetensorsWriter() {}

  /**
   * Something that the file says of itself as a whole.
   *
   * @param name at most 50,000 bytes of UTF-8
   * @param value at most 20,000,000 characters
   * @throws IllegalArgumentException if one of them is longer, or no text: {@link SafetensorsFile}
   *     would not read it
   */
  public SafetensorsWriter metadata(String name, String value) {
    int bytes = utf8Bytes("name", Objects.requireNonNull(name, "name"));
    if (bytes > StrictJson.MAX_NAME_BYTES) {
      throw new IllegalArgumentException(
          "expected a name of at most "
              + StrictJson.MAX_NAME_BYTES
              + " bytes of UTF-8 in the metadata, got "
              + bytes);
    }
    if (Objects.requireNonNull(value, "value").length() > StrictJson.MAX_STRING) {
      throw new IllegalArgumentException(
          "expected a value of at most "
              + StrictJson.MAX_STRING
              + " characters in the metadata, got "
              + value.length()
              + " as "
              + SafetensorsHeader.shown(name));
    }
    utf8Bytes("value", value);
    metadata.put(name, value);
    return this;
  }

  private static int utf8Bytes(String what, String text) {
    try {
      return StandardCharsets.UTF_8.newEncoder().encode(CharBuffer.wrap(text)).remaining();
    } catch (CharacterCodingException e) {
      throw new IllegalArgumentException(
          "expected a " + what + " in the metadata that is text, got half of a character in it", e);
    }
  }

  /**
   * The next tensor.
   *
   * @param values its elements without gaps, the last dimension fastest; read when it is written
   * @throws IllegalArgumentException if the format has no such type, the tensor is there already,
   *     or the values are of another length
   */
  public SafetensorsWriter tensor(Tensor tensor, MemorySegment values) {
    Objects.requireNonNull(tensor, "tensor");
    if (SafetensorsType.of(tensor.type()) == null) {
      throw new IllegalArgumentException(
          "expected tensor " + tensor.name() + " of a type of the format, got " + tensor.type());
    }
    Objects.requireNonNull(values, "values");
    if (tensor.name().equals(SafetensorsHeader.METADATA)) {
      throw new IllegalArgumentException(
          "expected a tensor of another name than "
              + tensor.name()
              + ", by which a file says what it is as a whole");
    }
    if (names.contains(tensor.name())) {
      throw new IllegalArgumentException("expected each tensor once, got " + tensor.name());
    }
    if (values.byteSize() != tensor.bytes()) {
      throw new IllegalArgumentException(
          "expected "
              + tensor.bytes()
              + " bytes of tensor "
              + tensor
              + ", got "
              + values.byteSize());
    }
    names.add(tensor.name());
    tensors.add(tensor);
    bytes.add(values);
    return this;
  }

  /**
   * Writes the file, in place of one that is there, whose permissions it takes over. Blocks.
   *
   * @throws IllegalArgumentException if its header has more than 100,000,000 bytes, which nobody
   *     reads
   * @throws IOException if it cannot be written
   */
  public void write(Path file) throws IOException {
    Objects.requireNonNull(file, "file");
    ByteBuffer header = header();
    String number = Long.toUnsignedString(ThreadLocalRandom.current().nextLong());
    Path beside = file.resolveSibling(file.getFileName() + "." + number + ".part");
    Set<PosixFilePermission> permissions = permissions(file);
    FileChannel opened = create(beside, permissions);
    try {
      try (FileChannel out = opened) {
        if (permissions != null) { // also those that new files do not get
          Files.setPosixFilePermissions(beside, permissions);
        }
        write(out, header);
        for (MemorySegment segment : bytes) {
          for (long at = 0; at < segment.byteSize(); at += CHUNK_BYTES) {
            long length = Math.min(CHUNK_BYTES, segment.byteSize() - at);
            write(out, segment.asSlice(at, length).asByteBuffer());
          }
        }
        out.force(true);
      }
      Files.move(beside, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    } finally {
      Files.deleteIfExists(beside);
    }
  }

  /** Those of a file that is there; null if none is, or the file system has no such thing. */
  private static @Nullable Set<PosixFilePermission> permissions(Path file) throws IOException {
    PosixFileAttributeView view = Files.getFileAttributeView(file, PosixFileAttributeView.class);
    return view == null || !Files.exists(file) ? null : view.readAttributes().permissions();
  }

  /** With no more permissions from the start on: whoever has opened it reads it for ever. */
  private static FileChannel create(Path file, @Nullable Set<PosixFilePermission> permissions)
      throws IOException {
    Set<StandardOpenOption> options =
        EnumSet.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
    return permissions == null
        ? FileChannel.open(file, options)
        : FileChannel.open(file, options, PosixFilePermissions.asFileAttribute(permissions));
  }

  private static void write(FileChannel out, ByteBuffer from) throws IOException {
    while (from.hasRemaining()) {
      out.write(from);
    }
  }

  private ByteBuffer header() throws IOException {
    ByteArrayOutputStream json = new ByteArrayOutputStream();
    try (JsonGenerator out = JSON.createGenerator(json)) {
      out.writeStartObject();
      if (!metadata.isEmpty()) {
        out.writeObjectFieldStart(SafetensorsHeader.METADATA);
        for (Map.Entry<String, String> entry : metadata.entrySet()) {
          out.writeStringField(entry.getKey(), entry.getValue());
        }
        out.writeEndObject();
      }
      long at = 0;
      for (Tensor tensor : tensors) {
        out.writeObjectFieldStart(tensor.name());
        out.writeStringField("dtype", String.valueOf(SafetensorsType.of(tensor.type())));
        long[] shape = tensor.shape().sizes();
        out.writeFieldName("shape");
        out.writeArray(shape, 0, shape.length);
        out.writeFieldName("data_offsets");
        out.writeArray(new long[] {at, at + tensor.bytes()}, 0, 2);
        out.writeEndObject();
        at += tensor.bytes();
      }
      out.writeEndObject();
    }
    while (json.size() % ALIGNMENT != 0) {
      json.write(' ');
    }
    if (json.size() > SafetensorsHeader.MAX_BYTES) {
      throw new IllegalArgumentException(
          "expected a header of at most "
              + SafetensorsHeader.MAX_BYTES
              + " bytes, got "
              + json.size()
              + "; shorter names and metadata would fit, or several files");
    }
    ByteBuffer header = ByteBuffer.allocate(Long.BYTES + json.size());
    header.order(ByteOrder.LITTLE_ENDIAN).putLong(json.size()).put(json.toByteArray());
    return header.flip();
  }
}
