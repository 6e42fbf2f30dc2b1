package io.reactivetransfer.examples.observe;

import io.reactivetransfer.EngineOptions;
import io.reactivetransfer.MemoryRegion;
import io.reactivetransfer.TransferEngine;
import io.reactivetransfer.engine.TransferEngineBuilder;
import io.reactivetransfer.examples.worker.Worker;
import java.lang.foreign.Arena;
import java.util.HexFormat;

/** A process that can be written to, until it is killed. */
final class TargetWorker implements Worker {

  static final int BYTES = 64 * 1024;
  static final long NATIVE_BYTES = 64L << 20;

  /** What starts it. */
  static final String OPTION = "--target";

  /** What it is asked: where one can write to, as hexadecimal digits. */
  static final String DESCRIPTOR = "descriptor";

  private final Arena arena = Arena.ofShared();
  private final TransferEngine engine;
  private final MemoryRegion region;

  private TargetWorker() {
    EngineOptions options =
        EngineOptions.builder().livenessDeadline(ObservedEngine.SILENCE).build();
    engine =
        ObservedEngine.await(TransferEngineBuilder.create().backend("tcp").options(options).open());
    region = ObservedEngine.await(engine.register(arena.allocate(BYTES)));
  }

  /** One that listens. */
  static TargetWorker open() {
    return new TargetWorker();
  }

  @Override
  public String answer(String line) {
    if (line.equals(DESCRIPTOR)) {
      return HexFormat.of().formatHex(region.descriptor().toBytes());
    }
    throw new IllegalArgumentException("expected " + DESCRIPTOR + ", got " + line);
  }

  @Override
  public void close() {
    engine.close().block(ObservedEngine.PATIENCE);
    arena.close();
  }
}
