package io.reactivetransfer.examples;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** A block of Java in a page, or in a comment, and the line at which it begins. */
record JavaBlock(Path page, int line, String code) {

  private static final Pattern FENCE = Pattern.compile("[-*\\s]*(`{3,}|~{3,})\\s*(\\w*).*");
  private static final String CODE_BEGINS = "* <pre>{@code";
  private static final String CODE_ENDS = "* }</pre>";
  private static final Pattern MARGIN = Pattern.compile("\\s*\\* ?");
  private static final Pattern PACKAGE = Pattern.compile("package ([\\w.]+);[\\s\\S]*");
  private static final Pattern CLASS = Pattern.compile("class (\\w+) [\\s\\S]*");
  private static final Pattern BETWEEN_PARTS = Pattern.compile("(?m)^\\s*\\.\\.\\.\\s*$");
  private static final int SHOWN_LINES = 3;

  /** All of a page, in their order. */
  static List<JavaBlock> of(Path page, List<String> lines) {
    List<JavaBlock> blocks = new ArrayList<>();
    for (int i = 0; i < lines.size(); i++) {
      Matcher fence = FENCE.matcher(lines.get(i));
      if (fence.matches()) {
        int begin = i;
        do {
          i++;
        } while (i < lines.size() && !lines.get(i).strip().equals(fence.group(1)));
        if (fence.group(2).equalsIgnoreCase("java")) {
          String code = String.join("\n", lines.subList(begin + 1, i)) + "\n";
          blocks.add(new JavaBlock(page, begin + 1, code));
        }
      }
    }
    return blocks;
  }

  /** All in the comments of a class. */
  static List<JavaBlock> ofComments(Path file, List<String> lines) {
    List<JavaBlock> blocks = new ArrayList<>();
    for (int i = 0; i < lines.size(); i++) {
      if (lines.get(i).strip().equals(CODE_BEGINS)) {
        int begin = i;
        StringBuilder code = new StringBuilder();
        for (i++; !lines.get(i).strip().equals(CODE_ENDS); i++) {
          code.append(MARGIN.matcher(lines.get(i)).replaceFirst("")).append('\n');
        }
        blocks.add(new JavaBlock(file, begin + 1, code.toString()));
      }
    }
    return blocks;
  }

  /** Whether it is in a comment. */
  boolean isOfComment() {
    return page.toString().endsWith(".java");
  }

  /** Whether it is a whole file. */
  boolean isFile() {
    return PACKAGE.matcher(code).matches();
  }

  /** The folder of a file's package. */
  Path folder() {
    return Path.of(PACKAGE.matcher(code).replaceFirst("$1").replace('.', '/'));
  }

  /** The name of the class that it begins with; else empty. */
  String className() {
    Matcher first = CLASS.matcher(code);
    return first.matches() ? first.group(1) : "";
  }

  /** What it consists of, where lines of three dots leave something out. */
  List<JavaTokens> parts() {
    return BETWEEN_PARTS.splitAsStream(code).map(JavaTokens::of).toList();
  }

  String beginning() {
    return code.lines().limit(SHOWN_LINES).collect(Collectors.joining("\n"));
  }

  @Override
  public String toString() {
    return page + ":" + line;
  }
}
