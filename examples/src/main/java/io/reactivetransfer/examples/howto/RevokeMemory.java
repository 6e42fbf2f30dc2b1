package io.reactivetransfer.examples.howto;

import io.reactivetransfer.MemoryRegion;
import io.reactivetransfer.RemoteRegion;
import io.reactivetransfer.TransferEngine;
import io.reactivetransfer.TransferFailedException;
import io.reactivetransfer.Write;
import io.reactivetransfer.engine.TransferEngineBuilder;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/** Takes memory back from those who may write there, without asking whether they still live. */
public final class RevokeMemory {

  public static void main(String[] args) {
    TransferEngine origin = TransferEngineBuilder.create().backend("tcp").open().block();
    TransferEngine target = TransferEngineBuilder.create().backend("tcp").open().block();
    try (Arena arena = Arena.ofShared()) {
      MemorySegment page = arena.allocate(64);
      MemoryRegion source = origin.register(arena.allocate(64).fill((byte) 1)).block();
      MemoryRegion region = target.register(page).block();
      RemoteRegion before = origin.remote(region.descriptor());
      origin.submit(Write.of(source.whole(), before.whole())).block();

      region.revoke().block();
      page.fill((byte) 2); // the target's own again, for whatever it likes
      try {
        origin.submit(Write.of(source.whole(), before.whole())).block();
        throw new IllegalStateException("expected a failure under the old descriptor, got none");
      } catch (TransferFailedException e) {
        System.out.println("The old descriptor leads nowhere.");
      }
      if (page.mismatch(arena.allocate(64).fill((byte) 2)) != -1) {
        throw new IllegalStateException("expected the page as the target has left it");
      }

      RemoteRegion after = origin.remote(region.descriptor()); // hand it to whom you like
      origin.submit(Write.of(source.whole(), after.whole())).block();
      if (page.mismatch(arena.allocate(64).fill((byte) 1)) != -1) {
        throw new IllegalStateException("expected what was written under the new descriptor");
      }
      System.out.println("The new one leads to the same memory.");
      origin.close().then(target.close()).block();
    }
  }
}
