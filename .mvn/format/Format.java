import com.google.googlejavaformat.java.Main;

/**
 * Checks the format of every Java file below a directory, or fixes it: {@code Format (check|fix)
 * directory}. A program of its own because the formatter needs a newer JVM than Maven's. A check
 * looks only at files that changed since the last one that passed.
 */
void main(String[] args) throws Exception {
  var fix = args[0].equals("fix");
  var root = Path.of(args[1]);
  var stamp = root.resolve("target/formatted");
  var passed = fix || Files.notExists(stamp) ? Instant.MIN : modified(stamp);
  var started = FileTime.from(Instant.now());

  var files = javaFiles(root).filter(file -> !modified(file).isBefore(passed)).toList();
  var status = files.isEmpty() ? 0 : format(fix, files);
  if (status == 0) {
    Files.createDirectories(stamp.getParent());
    Files.writeString(stamp, "");
    Files.setLastModifiedTime(stamp, started);
  } else if (!fix) {
    IO.println("The files above are not formatted. To format them: mvn -N -Pformat");
  }
  System.exit(status);
}

int format(boolean fix, List<Path> files) throws Exception {
  var options = fix ? Stream.of("--replace") : Stream.of("--dry-run", "--set-exit-if-changed");
  var arguments = Stream.concat(options, files.stream().map(Path::toString));
  var out = new PrintWriter(System.out);
  var err = new PrintWriter(System.err);
  var status = new Main(out, err, System.in).format(arguments.toArray(String[]::new));
  out.flush();
  err.flush();
  return status;
}

Stream<Path> javaFiles(Path root) throws IOException {
  var files = new ArrayList<Path>();
  Files.walkFileTree(
      root,
      new SimpleFileVisitor<>() {
        @Override
        public FileVisitResult preVisitDirectory(Path directory, BasicFileAttributes attributes) {
          var name = directory.getFileName().toString();
          var built = name.equals("target") && Files.exists(directory.resolveSibling("pom.xml"));
          var ours =
              directory.equals(root) || name.equals(".mvn") || !(built || name.startsWith("."));
          return ours ? FileVisitResult.CONTINUE : FileVisitResult.SKIP_SUBTREE;
        }

        @Override
        public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
          if (file.toString().endsWith(".java")) {
            files.add(file);
          }
          return FileVisitResult.CONTINUE;
        }
      });
  return files.stream();
}

Instant modified(Path file) {
  try {
    return Files.getLastModifiedTime(file).toInstant();
  } catch (IOException e) {
    throw new UncheckedIOException(e);
  }
}
