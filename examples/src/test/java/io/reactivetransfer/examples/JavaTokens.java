package io.reactivetransfer.examples;

import java.util.Collections;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

/** Java without comments, and however it is laid out. */
record JavaTokens(List<String> tokens) {

  private static final Pattern TOKEN =
      Pattern.compile(
          """
          (?<comment>//.*|/\\*(?s:.*?)\\*/)\
          |\"""(?s:.*?)\"""|"(?:\\\\.|[^"\\\\])*"|'(?:\\\\.|[^'\\\\])*'|\\w+|\\S\
          """);

  static JavaTokens of(String code) {
    return new JavaTokens(
        TOKEN
            .matcher(code)
            .results()
            .filter(token -> token.group("comment") == null)
            .map(MatchResult::group)
            .toList());
  }

  /** Whether it has these one behind another. What is empty is in nothing. */
  boolean contains(JavaTokens part) {
    return !part.tokens.isEmpty() && Collections.indexOfSubList(tokens, part.tokens) >= 0;
  }
}
