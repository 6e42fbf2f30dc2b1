package io.reactivetransfer.moe;

import io.reactivetransfer.TransferEngine;
import io.reactivetransfer.simulation.network.WireObserver;
import java.lang.foreign.MemorySegment;
import java.util.HashMap;
import java.util.Map;
import java.util.function.UnaryOperator;

/**
 * Sees on the wire whether anything that was meant for memory as it was registered earlier lands
 * there after it was registered anew.
 */
final class Trespass implements WireObserver {

  /** By where it begins: what was registered there last. */
  private final Map<Long, MemorySegment> registered = new HashMap<>();

  /** The first, or null. */
  AssertionError seen;

  /** Watches what engines register, which do all else as the mistake has it. */
  UnaryOperator<TransferEngine> watching(UnaryOperator<TransferEngine> mistake) {
    return engine -> {
      TransferEngine original = mistake.apply(engine);
      return Proxied.of(
          TransferEngine.class,
          original,
          (method, arguments) ->
              method.equals("register") && arguments[0] instanceof MemorySegment memory
                  ? original
                      .register(memory)
                      .doOnSubscribe(begun -> registered.put(memory.address(), memory))
                  : null);
    };
  }

  @Override
  public void writing(MemorySegment memory, long offset, long length) {
    if (registered.get(memory.address()) != memory && seen == null) {
      seen = new AssertionError("a write of an earlier epoch has landed in memory of a later one");
    }
  }
}
