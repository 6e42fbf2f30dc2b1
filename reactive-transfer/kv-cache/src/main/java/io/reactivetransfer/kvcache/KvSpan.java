package io.reactivetransfer.kvcache;

/**
 * Tokens of one sequence that follow each other.
 *
 * @param firstToken position of the first one in the sequence, 0 or more
 * @param tokens how many, 0 or more
 */
public record KvSpan(long firstToken, long tokens) {

  /** Checks the signs, and that the end can be told. */
  public KvSpan {
    if (firstToken < 0 || tokens < 0 || firstToken > Long.MAX_VALUE - tokens) {
      throw new IllegalArgumentException(
          "expected a first token of 0 or more, 0 or more tokens, and an end below 2^63, got "
              + tokens
              + " tokens from "
              + firstToken
              + " on");
    }
  }

  /** Position behind the last token. */
  public long end() {
    return firstToken + tokens;
  }

  /** How many pages of this size hold these tokens, the first of them from a page bound on. */
  public long pages(int pageTokens) {
    return tokens == 0 ? 0 : (end() - 1) / pageTokens - firstToken / pageTokens + 1;
  }

  /** Whether all tokens of the other one are among these. */
  public boolean contains(KvSpan other) {
    return other.firstToken >= firstToken && other.end() <= end();
  }

  /** The tokens, as positions. */
  @Override
  public String toString() {
    return "tokens " + firstToken + " to " + end() + " (exclusive)";
  }
}
