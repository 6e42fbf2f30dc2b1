package io.reactivetransfer.tcp.process;

import io.reactivetransfer.Imm;
import io.reactivetransfer.MemoryRegion;
import io.reactivetransfer.Peer;
import io.reactivetransfer.RemoteRegion;
import io.reactivetransfer.Signal;
import io.reactivetransfer.TransferEngine;
import io.reactivetransfer.WriteImm;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Random;
import java.util.zip.CRC32C;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * Pages that tell by themselves whether they are whole: a number, a length, content of that length,
 * and a checksum of all that. Memory is divided into slots; a slot takes one page at a time, whose
 * arrival is counted under the slot's own immediate. The target checks it at that very moment, and
 * answers by a signal of the same immediate; then the next page may come.
 */
final class Page {

  private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED;
  private static final int HEAD_BYTES = 2 * Integer.BYTES;

  private Page() {}

  /** Writes pages of random sizes into every slot; completes when the last was answered. */
  static Mono<Long> write(
      TransferEngine engine,
      MemorySegment memory,
      MemoryRegion source,
      RemoteRegion target,
      int slots,
      int rounds,
      long seed) {
    long slotBytes = memory.byteSize() / slots;
    return Flux.range(0, slots)
        .flatMap(
            slot -> {
              Random random = new Random(seed + slot);
              long at = slot * slotBytes;
              Imm imm = Imm.of(slot);
              return Flux.range(0, rounds)
                  .concatMap(
                      round ->
                          Mono.defer(
                                  () -> {
                                    long length =
                                        fill(memory.asSlice(at, slotBytes), round, random);
                                    return engine.submit(
                                        WriteImm.of(
                                            source.slice(at, length),
                                            target.slice(at, length),
                                            imm));
                                  })
                              .then(engine.counter(imm).next(1))
                              .thenReturn(round),
                      1);
            },
            slots)
        .count();
  }

  /** Checks pages as they come; returns how many were whole. */
  static long verify(
      TransferEngine engine, Peer origin, MemorySegment memory, int slots, int rounds) {
    long slotBytes = memory.byteSize() / slots;
    return Flux.range(0, slots)
        .flatMap(
            slot -> {
              MemorySegment place = memory.asSlice(slot * slotBytes, slotBytes);
              Imm imm = Imm.of(slot);
              Mono<Integer> answer = engine.submit(Signal.of(origin, imm)).thenReturn(slot);
              return engine
                  .counter(imm)
                  .boundTo(origin)
                  .every(1)
                  .take(rounds)
                  .doOnNext(count -> check(place, slot, Math.toIntExact(count - 1)))
                  .concatMap(_ -> answer, 1);
            },
            slots)
        .count()
        .block();
  }

  private static long fill(MemorySegment place, int number, Random random) {
    // many small ones, some that need all NICs
    int most = (int) place.byteSize() - HEAD_BYTES - Integer.BYTES;
    int length = random.nextInt(1 + (most >> random.nextInt(12)));
    byte[] content = new byte[length];
    random.nextBytes(content);
    place.set(INT, 0, number);
    place.set(INT, Integer.BYTES, length);
    MemorySegment.copy(content, 0, place, ValueLayout.JAVA_BYTE, HEAD_BYTES, length);
    place.set(INT, HEAD_BYTES + (long) length, checksum(place, length));
    return HEAD_BYTES + (long) length + Integer.BYTES;
  }

  private static void check(MemorySegment place, int slot, int number) {
    int got = place.get(INT, 0);
    int length = place.get(INT, Integer.BYTES);
    if (got != number || length < 0 || length > place.byteSize() - HEAD_BYTES - Integer.BYTES) {
      throw new IllegalStateException(
          "slot " + slot + ": page " + number + " was counted, page " + got + " was there");
    }
    if (place.get(INT, HEAD_BYTES + (long) length) != checksum(place, length)) {
      throw new IllegalStateException("slot " + slot + ": page " + number + " is torn");
    }
  }

  private static int checksum(MemorySegment place, int length) {
    CRC32C sum = new CRC32C();
    sum.update(place.asSlice(0, HEAD_BYTES + (long) length).asByteBuffer());
    return (int) sum.getValue();
  }
}
