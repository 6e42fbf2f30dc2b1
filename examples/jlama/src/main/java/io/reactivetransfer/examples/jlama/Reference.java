package io.reactivetransfer.examples.jlama;

import io.reactivetransfer.examples.jlama.engine.BlockLayout;
import io.reactivetransfer.examples.jlama.engine.BlockStore;
import io.reactivetransfer.examples.jlama.engine.InferenceEngine;
import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * What one JVM alone generates: the same model, no node, no known prefix, each prompt computed as a
 * whole.
 *
 * @param tokens of each decode node, by the number of the round
 */
record Reference(List<Map<Integer, List<Integer>>> tokens) {

  static Reference of(Plan plan) {
    BlockLayout one = plan.blocks(false);
    List<Map<Integer, List<Integer>>> tokens = new ArrayList<>();
    try (Arena arena = Arena.ofShared();
        InferenceEngine engine =
            new InferenceEngine(
                new BlockStore(one, arena.allocate(one.bytes(), Long.BYTES)), plan.seed())) {
      for (int decode = 0; decode < (plan.both() ? 2 : 1); decode++) {
        Map<Integer, List<Integer>> ofDecode = new HashMap<>();
        for (Round round : Round.of(plan, decode)) {
          if (!round.kind().isWarm() && round.kind() != Round.Kind.CANCELLED) {
            ofDecode.put(
                round.number(),
                Figures.list(
                    engine.complete(
                        Figures.ints(round.prompt()), plan.generate(), round.seed(plan))));
          }
        }
        tokens.add(ofDecode);
      }
    }
    return new Reference(tokens);
  }
}
