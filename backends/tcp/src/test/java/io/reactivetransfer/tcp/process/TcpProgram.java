package io.reactivetransfer.tcp.process;

import io.reactivetransfer.EngineOptions;
import io.reactivetransfer.Peer;
import io.reactivetransfer.TransferEngine;
import io.reactivetransfer.engine.TransferEngineBuilder;
import io.reactivetransfer.tck.process.EngineProcess;
import io.reactivetransfer.tck.process.EngineProgram;
import io.reactivetransfer.tcp.TcpBackend;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.Iterator;
import java.util.List;

/** An engine over tcp in a process of its own, which can also verify {@link Page}s. */
final class TcpProgram {

  private TcpProgram() {}

  /** Starts one on any free ports. */
  static EngineProcess start() {
    return start("127.0.0.1", 0, Local.CALM);
  }

  static EngineProcess start(String advertisedHost, int port, Duration liveness) {
    List<String> options = List.of("-Xmx256m", "-Dio.netty.noUnsafe=true");
    return EngineProcess.start(
        TcpProgram.class, options, advertisedHost, port, liveness.toMillis());
  }

  /** Host to advertise, first port, milliseconds of the liveness deadline. */
  public static void main(String[] args) throws IOException {
    TransferEngine engine =
        TransferEngineBuilder.create()
            .backend(
                TcpBackend.builder()
                    .advertisedHost(args[0])
                    .port(Integer.parseInt(args[1]))
                    .build())
            .options(
                EngineOptions.builder()
                    .livenessDeadline(Duration.ofMillis(Long.parseLong(args[2])))
                    .connectTimeout(Duration.ofSeconds(40))
                    .minPieceBytes(4_096)
                    .build())
            .open()
            .block();
    EngineProgram program = new EngineProgram(engine);
    program.with("verify-pages", in -> verifyPages(engine, program, in)).serve();
  }

  /** Name of a memory, bytes of a slot, rounds, address of the origin. */
  private static String verifyPages(
      TransferEngine engine, EngineProgram program, Iterator<String> in) {
    MemorySegment memory = program.memory(in);
    long slotBytes = EngineProgram.integer(in);
    int rounds = EngineProgram.integer(in);
    Peer origin = program.peer(in);
    int slots = (int) (memory.byteSize() / slotBytes);
    return Page.verify(engine, origin, memory, slots, rounds) + " pages";
  }
}
