package io.reactivetransfer.kvcache;

import io.reactivetransfer.PageList;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Cuts tokens at the page bounds of both sides, and collects what lies alike in its pages: a few
 * runs of many units, the same for all layers and parts.
 */
final class KvRuns {

  /**
   * Units that begin at the same token of their pages and have as many tokens.
   *
   * @param at where in their pages
   * @param sourcePages the page of each unit
   * @param targetPages as many
   */
  record Run(At at, PageList sourcePages, PageList targetPages) {}

  /**
   * Where a unit lies in its pages.
   *
   * @param source its first token in the page of the source
   * @param target its first token in the page of the target
   * @param tokens how many
   */
  record At(int source, int target, int tokens) {}

  private final KvSpan order;
  private final int sourceTokens;
  private final int targetTokens;
  private final PageList sourcePages;
  private final PageList targetPages;

  /** In the order in which they were met. */
  private final List<Units> found = new ArrayList<>();

  private final Map<At, Integer> known = new HashMap<>();

  KvRuns(KvMapping mapping, KvSpan order, PageList sourcePages, PageList targetPages) {
    this.order = order;
    this.sourceTokens = mapping.source().pageTokens();
    this.targetTokens = mapping.target().pageTokens();
    this.sourcePages = sourcePages;
    this.targetPages = targetPages;
  }

  /** The units of these tokens. */
  List<Run> of(KvSpan chunk) {
    long sourceBase = order.firstToken() / sourceTokens;
    long targetBase = order.firstToken() / targetTokens;
    long token = chunk.firstToken();
    int run = -1;
    while (token < chunk.end()) {
      long sourcePage = token / sourceTokens;
      long targetPage = token / targetTokens;
      int source = (int) (token - sourcePage * sourceTokens);
      int target = (int) (token - targetPage * targetTokens);
      int room = Math.min(sourceTokens - source, targetTokens - target);
      int tokens = (int) Math.min(room, chunk.end() - token);
      run = run(run, source, target, tokens);
      found
          .get(run)
          .add(
              sourcePages.get((int) (sourcePage - sourceBase)),
              targetPages.get((int) (targetPage - targetBase)));
      token += tokens;
    }
    return found.stream().map(this::finished).toList();
  }

  /** Looks first at what came behind the last one before: so most units allocate nothing. */
  private int run(int last, int source, int target, int tokens) {
    int likely = last < 0 ? -1 : found.get(last).next;
    if (likely >= 0 && found.get(likely).isAt(source, target, tokens)) {
      return likely;
    }
    int run = known.computeIfAbsent(new At(source, target, tokens), this::begin);
    if (last >= 0) {
      found.get(last).next = run;
    }
    return run;
  }

  private int begin(At at) {
    boolean whole = sourceTokens == targetTokens && at.tokens == sourceTokens;
    found.add(new Units(at, whole ? sourcePages.size() : 16));
    return found.size() - 1;
  }

  /** All pages of a list that holds each once, in order, are the list. */
  private Run finished(Units units) {
    boolean alike = sourceTokens == targetTokens && units.size == sourcePages.size();
    return alike
        ? new Run(units.at, sourcePages, targetPages)
        : new Run(units.at, list(units.sources, units.size), list(units.targets, units.size));
  }

  private static PageList list(int[] pages, int size) {
    return PageList.of(size == pages.length ? pages : Arrays.copyOf(pages, size));
  }

  private static final class Units {

    private final At at;
    private int[] sources;
    private int[] targets;
    private int size;

    /** The run of the unit that came behind one of these; -1 if none did. */
    private int next = -1;

    Units(At at, int room) {
      this.at = at;
      this.sources = new int[room];
      this.targets = new int[room];
    }

    boolean isAt(int source, int target, int tokens) {
      return at.source == source && at.target == target && at.tokens == tokens;
    }

    void add(int source, int target) {
      if (size == sources.length) {
        sources = Arrays.copyOf(sources, 2 * size);
        targets = Arrays.copyOf(targets, 2 * size);
      }
      sources[size] = source;
      targets[size++] = target;
    }
  }
}
