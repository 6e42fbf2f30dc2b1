package io.reactivetransfer.weights.safetensors;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Collection;
import java.util.Collections;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A file of tensors, mapped into memory and read in place. Its bytes are those of the file as long
 * as it is open: nobody should change the file.
 */
public final class SafetensorsFile implements AutoCloseable {

  private final Arena arena;
  private final MemorySegment bytes;
  private final SafetensorsHeader header;
  private final String name;

  private SafetensorsFile(Arena arena, MemorySegment bytes, SafetensorsHeader header, String name) {
    this.arena = arena;
    this.bytes = bytes;
    this.header = header;
    this.name = name;
  }

  /**
   * Maps a file and reads its header. Blocks.
   *
   * @throws SafetensorsFormatException if it is not in the format, or leads out of the file
   * @throws IOException if it cannot be read
   */
  public static SafetensorsFile open(Path file) throws IOException {
    Objects.requireNonNull(file, "file");
    String name = String.valueOf(file.getFileName());
    requireFile(file);
    Arena arena = Arena.ofShared();
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
      MemorySegment bytes = channel.map(FileChannel.MapMode.READ_ONLY, 0, channel.size(), arena);
      return new SafetensorsFile(arena, bytes, SafetensorsHeader.read(name, bytes), name);
    } catch (IOException | RuntimeException | Error e) {
      arena.close();
      throw e;
    }
  }

  /** Whoever opens a pipe waits for a writer, and a device may never end. */
  static void requireFile(Path file) throws IOException {
    if (!Files.exists(file)) {
      throw new NoSuchFileException(file.toString());
    }
    if (!Files.isRegularFile(file)) {
      throw new SafetensorsFormatException(
          file.getFileName() + ": expected a file, got a directory, a device or a pipe");
    }
  }

  /** What the file says of itself as a whole. */
  public Map<String, String> metadata() {
    return Map.copyOf(header.metadata());
  }

  /** Its tensors, in the order in which they lie. */
  public Collection<SafetensorsEntry> entries() {
    return Collections.unmodifiableCollection(header.entries().values());
  }

  /** A tensor, or null. */
  public @Nullable SafetensorsEntry entry(String tensor) {
    return header.entries().get(tensor);
  }

  /** Where a tensor begins in {@link #all()}. */
  public long offset(SafetensorsEntry entry) {
    return header.bytes() + entry.begin();
  }

  /** The whole file, read-only; valid until it is closed. */
  public MemorySegment all() {
    return bytes;
  }

  /**
   * The bytes of a tensor, read-only; valid until the file is closed.
   *
   * @throws IllegalArgumentException if it has no such tensor
   */
  public MemorySegment bytes(String tensor) {
    SafetensorsEntry entry = entry(tensor);
    if (entry == null) {
      throw new IllegalArgumentException(
          "expected a tensor of " + name + ", got none named " + tensor);
    }
    return bytes.asSlice(offset(entry), entry.end() - entry.begin());
  }

  /**
   * Ends the mapping. What was returned before cannot be read any more. Closing again does nothing.
   *
   * @throws IllegalStateException if an operation of the JDK reads it now, such as a write to a
   *     channel; it is open then as before
   */
  @Override
  public synchronized void close() {
    if (arena.scope().isAlive()) {
      arena.close();
    }
  }
}
