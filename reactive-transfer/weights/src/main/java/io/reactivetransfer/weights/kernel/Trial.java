package io.reactivetransfer.weights.kernel;

import io.reactivetransfer.weights.DataType;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;

/** Converts a little of each type to each other one, for who compares kernels by their time. */
final class Trial implements Runnable {

  private static final List<DataType> TYPES = List.of(DataType.values());
  private static final int ROWS = 1;
  private static final int COLUMNS = 96;
  private static final int BYTES = 2 * ROWS * COLUMNS * Float.BYTES;

  private final Kernels kernels;
  private final Walk walk = new Walk();

  private final MemorySegment target = Arena.ofAuto().allocate(BYTES, 64);

  Trial(Kernels kernels) {
    this.kernels = kernels;
  }

  @Override
  public void run() {
    // Arenas of both kinds, as applications have them: what is compiled depends on it.
    try (Arena arena = Arena.ofConfined()) {
      run(arena.allocate(BYTES, 64));
    }
  }

  private void run(MemorySegment source) {
    for (DataType from : TYPES) {
      for (DataType to : TYPES) {
        if (from != to && from.isFloating()) {
          walk.begin(0, 0);
          walk.dimension(ROWS, 2 * COLUMNS, 2 * COLUMNS);
          walk.dimension(COLUMNS, 1, 1);
          walk.start(Tile.CAPACITY);
          while (walk.next()) {
            kernels.largest(from, source, 0, walk);
            kernels.convertLast(to, 1, target, walk);
          }
        }
      }
    }
  }
}
