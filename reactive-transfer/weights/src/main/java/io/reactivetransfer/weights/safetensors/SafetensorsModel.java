package io.reactivetransfer.weights.safetensors;

import com.fasterxml.jackson.core.JacksonException;
import java.io.CharConversionException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A model in several files, with an index that says which tensor is in which. */
public final class SafetensorsModel implements AutoCloseable {

  private static final String INDEX_SUFFIX = ".json";

  private final Map<String, SafetensorsFile> files;

  /** By the name of the tensor. */
  private final Map<String, SafetensorsFile> tensors;

  private SafetensorsModel(
      Map<String, SafetensorsFile> files, Map<String, SafetensorsFile> tensors) {
    this.files = files;
    this.tensors = tensors;
  }

  /**
   * Opens a model. Blocks.
   *
   * @param file the index, which ends in {@code .json} and has its files beside it; or the only
   *     file of the model. What an index names may be a link only to what lies beside it, too
   * @throws SafetensorsFormatException if a file is not in the format, has other tensors than the
   *     index says, or lies elsewhere
   * @throws IOException if one cannot be read
   */
  public static SafetensorsModel open(Path file) throws IOException {
    return open(file, null);
  }

  /**
   * The same for files that may be links to elsewhere within a folder, such as a cache that has
   * each file once and a folder of links for each version of a model. Blocks.
   *
   * @param file the index, or the only file
   * @param root the folder that no file may lie out of when all links are followed
   * @throws SafetensorsFormatException as above
   * @throws IOException if one cannot be read
   */
  public static SafetensorsModel openWithin(Path file, Path root) throws IOException {
    return open(file, Objects.requireNonNull(root, "root"));
  }

  private static SafetensorsModel open(Path file, @Nullable Path root) throws IOException {
    Map<String, SafetensorsFile> files = new LinkedHashMap<>();
    Map<String, SafetensorsFile> tensors = new LinkedHashMap<>();
    try {
      if (!file.toString().endsWith(INDEX_SUFFIX)) {
        SafetensorsFile only =
            SafetensorsFile.open(root == null ? file : requireWithin(root, file, file));
        files.put(String.valueOf(file.getFileName()), only);
        only.entries().forEach(entry -> tensors.put(entry.name(), only));
      } else {
        openAll(file, root, index(file), files, tensors);
      }
      return new SafetensorsModel(files, tensors);
    } catch (IOException | RuntimeException | Error e) {
      files.values().forEach(SafetensorsFile::close); // nobody reads them yet
      throw e;
    }
  }

  /** The names of the tensors, and in which file each is. */
  private static Map<String, String> index(Path file) throws IOException {
    String name = String.valueOf(file.getFileName());
    SafetensorsFile.requireFile(file);
    Map<String, String> found = new LinkedHashMap<>();
    boolean[] isIndex = {false};
    try (InputStream from = Files.newInputStream(file);
        StrictJson in = new StrictJson(name, from)) {
      in.document(
          "the index",
          field -> {
            if (field.equals("weight_map")) {
              isIndex[0] = true;
              found.putAll(in.strings("weight_map"));
            } else {
              in.skip();
            }
          });
    } catch (JacksonException e) {
      throw noJson(name, e.getOriginalMessage());
    } catch (CharConversionException e) { // of UTF-32 that is none
      throw noJson(name, e.getMessage());
    }
    if (!isIndex[0]) {
      throw new SafetensorsFormatException(
          name + ": expected an index, which has a weight_map, got JSON without one");
    }
    return found;
  }

  private static SafetensorsFormatException noJson(String name, @Nullable String why) {
    return new SafetensorsFormatException(
        name + ": expected an index in JSON, got " + SafetensorsHeader.shown(String.valueOf(why)));
  }

  private static void openAll(
      Path index,
      @Nullable Path root,
      Map<String, String> map,
      Map<String, SafetensorsFile> files,
      Map<String, SafetensorsFile> tensors)
      throws IOException {
    String name = String.valueOf(index.getFileName());
    Path within = root == null ? index.toAbsolutePath().resolveSibling("") : root;
    for (Map.Entry<String, String> one : map.entrySet()) {
      String file = one.getValue();
      SafetensorsFile open = files.get(file);
      if (open == null) {
        open = SafetensorsFile.open(requireWithin(within, index, beside(index, file)));
        files.put(file, open);
      }
      if (open.entry(one.getKey()) == null) {
        throw new SafetensorsFormatException(
            name
                + ": expected tensor "
                + SafetensorsHeader.shown(one.getKey())
                + " in "
                + SafetensorsHeader.shown(file)
                + ", got none of that name");
      }
      tensors.put(one.getKey(), open);
    }
    for (Map.Entry<String, SafetensorsFile> file : files.entrySet()) {
      for (SafetensorsEntry entry : file.getValue().entries()) {
        if (tensors.get(entry.name()) != file.getValue()) {
          throw new SafetensorsFormatException(
              name
                  + ": expected tensor "
                  + SafetensorsHeader.shown(entry.name())
                  + " of "
                  + SafetensorsHeader.shown(file.getKey())
                  + " in the index, got "
                  + (tensors.containsKey(entry.name()) ? "it from another file" : "none"));
        }
      }
    }
  }

  /** An index does not lead anywhere else. */
  private static Path beside(Path index, String file) {
    String name = String.valueOf(index.getFileName());
    boolean isPlain =
        !file.isEmpty()
            && !file.equals(".")
            && !file.equals("..")
            && file.chars().noneMatch(c -> c == '/' || c == '\\' || c < ' ');
    if (!isPlain) {
      throw new SafetensorsFormatException(
          name
              + ": expected files beside the index, got '"
              + SafetensorsHeader.shown(file)
              + "', elsewhere");
    }
    try {
      return index.resolveSibling(file);
    } catch (InvalidPathException e) {
      throw new SafetensorsFormatException(
          name
              + ": expected names that a file can have here, got '"
              + SafetensorsHeader.shown(file)
              + "'");
    }
  }

  /**
   * Follows all links, so that what is opened then is what was looked at.
   *
   * @return where the file is, without links
   */
  private static Path requireWithin(Path folder, Path index, Path file) throws IOException {
    Path real = real(index, file);
    if (!real.startsWith(folder.toRealPath())) {
      throw new SafetensorsFormatException(
          index.getFileName()
              + ": expected files within the folder "
              + folder
              + ", got "
              + SafetensorsHeader.shown(String.valueOf(file.getFileName()))
              + ", a link to elsewhere");
    }
    return real;
  }

  private static Path real(Path index, Path file) throws IOException {
    String named = "expected a file that the index " + index.getFileName() + " names, got ";
    try {
      return file.toRealPath();
    } catch (NoSuchFileException e) {
      throw because(e, new NoSuchFileException(file.toString(), null, named + "none"));
    } catch (FileSystemException e) {
      String got = e.getReason() == null ? "one that cannot be reached" : e.getReason();
      throw because(e, new FileSystemException(file.toString(), null, named + got));
    }
  }

  private static IOException because(IOException cause, IOException why) {
    why.initCause(cause);
    return why;
  }

  /** The names of its tensors. */
  public Set<String> tensors() {
    return Collections.unmodifiableSet(tensors.keySet());
  }

  /**
   * The file that a tensor is in.
   *
   * @throws IllegalArgumentException if there is no such tensor
   */
  public SafetensorsFile file(String tensor) {
    SafetensorsFile file = tensors.get(tensor);
    if (file == null) {
      throw new IllegalArgumentException(
          "expected a tensor of the model, got none named " + tensor);
    }
    return file;
  }

  /**
   * Closes all files. Closing again does nothing for those that are closed.
   *
   * @throws IllegalStateException if one cannot be closed now, as {@link SafetensorsFile#close}
   *     says; the others are closed then
   */
  @Override
  public void close() {
    RuntimeException failure = null;
    for (SafetensorsFile file : files.values()) {
      try {
        file.close();
      } catch (RuntimeException why) {
        if (failure == null) {
          failure = why;
        } else {
          failure.addSuppressed(why);
        }
      }
    }
    if (failure != null) {
      throw failure;
    }
  }
}
