package io.reactivetransfer.examples.jlama;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** All that the nodes have told. */
final class Outcome {

  /**
   * A prefill node that was killed.
   *
   * @param node which one
   * @param round in which decode found it
   * @param foundNanos from the kill until decode knew
   * @param reason why its order ended
   * @param text what decode was told
   */
  record Lost(String node, int round, long foundNanos, String reason, String text) {}

  /**
   * The blocks of a node at its end.
   *
   * @param node which one
   * @param held by sequences, though there is none any more
   * @param cached known prefixes
   * @param all how many there are
   */
  record Blocks(String node, long held, long cached, long all) {}

  /** Of one decode node. */
  static final class OfDecode {
    /** By the number of the round, as all of these. */
    final Map<Integer, Done> done = new HashMap<>();

    final Map<Integer, Served> served = new HashMap<>();

    /** Behind how many layers prefill stopped. */
    final Map<Integer, Integer> stoppedBehind = new HashMap<>();

    /** Of rounds that ended before all had arrived. */
    final Map<Integer, Long> quietNanos = new HashMap<>();
  }

  final List<OfDecode> decodes = new ArrayList<>();
  final List<Blocks> blocks = new ArrayList<>();
  final List<Lost> lost = new ArrayList<>();
}
