package io.reactivetransfer.examples.howto;

import io.reactivetransfer.Imm;
import io.reactivetransfer.MemoryRegion;
import io.reactivetransfer.RemoteRegion;
import io.reactivetransfer.Scatter;
import io.reactivetransfer.TransferEngine;
import io.reactivetransfer.engine.TransferEngineBuilder;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import reactor.core.publisher.Mono;

/** One transfer to several peers, to each a part of its own; each counts what is its. */
public final class WriteToSeveral {

  public static void main(String[] args) {
    TransferEngine origin = TransferEngineBuilder.create().backend("tcp").open().block();
    TransferEngine left = TransferEngineBuilder.create().backend("tcp").open().block();
    TransferEngine right = TransferEngineBuilder.create().backend("tcp").open().block();
    try (Arena arena = Arena.ofShared()) {
      MemorySegment text = arena.allocateFrom("left\0right");
      MemorySegment atLeft = arena.allocate(5);
      MemorySegment atRight = arena.allocate(6);
      MemoryRegion source = origin.register(text).block();
      RemoteRegion toLeft = origin.remote(left.register(atLeft).block().descriptor());
      RemoteRegion toRight = origin.remote(right.register(atRight).block().descriptor());

      Imm imm = Imm.of(1);
      Scatter scatter =
          Scatter.of(
              imm,
              new Scatter.Part(source.slice(0, 5), toLeft.whole()),
              new Scatter.Part(source.slice(5, 6), toRight.whole()));
      Mono<Void> arrived = Mono.when(left.counter(imm).next(1), right.counter(imm).next(1));
      Mono.when(origin.submit(scatter), arrived).block();

      String received = atLeft.getString(0) + " and " + atRight.getString(0);
      if (!received.equals("left and right")) {
        throw new IllegalStateException("expected left and right, got " + received);
      }
      System.out.println("Arrived: " + received + ".");
      Mono.whenDelayError(origin.close(), left.close(), right.close()).block();
    }
  }
}
