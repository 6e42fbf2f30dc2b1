package io.reactivetransfer.libfabric.process;

import io.reactivetransfer.EngineOptions;
import io.reactivetransfer.engine.TransferEngineBuilder;
import io.reactivetransfer.libfabric.LibfabricBackend;
import io.reactivetransfer.tck.process.EngineProcess;
import io.reactivetransfer.tck.process.EngineProgram;
import java.io.IOException;
import java.time.Duration;
import java.util.List;

/** An engine over libfabric's tcp in a process of its own. */
final class FabricProgram {

  private FabricProgram() {}

  /** Starts one with a liveness deadline that nobody exceeds. */
  static EngineProcess start() {
    return start(Duration.ofMinutes(1));
  }

  static EngineProcess start(Duration liveness) {
    return EngineProcess.start(FabricProgram.class, List.of("-Xmx128m"), liveness.toMillis());
  }

  /** Milliseconds of the liveness deadline. */
  public static void main(String[] args) throws IOException {
    new EngineProgram(
            TransferEngineBuilder.create()
                .backend(LibfabricBackend.builder().provider("tcp").build())
                .options(
                    EngineOptions.builder()
                        .livenessDeadline(Duration.ofMillis(Long.parseLong(args[0])))
                        .idle(EngineProgram.IDLE)
                        .build())
                .open()
                .block())
        .serve();
  }
}
