package io.reactivetransfer.libfabric;

import io.reactivetransfer.libfabric.ffi.Fi;
import io.reactivetransfer.libfabric.ffi.LibFabric;
import io.reactivetransfer.libfabric.ffi.RmaMessage;
import java.lang.foreign.Arena;

/** Gives what is in a slot to the provider. */
final class Poster {

  private final LibFabric lib;
  private final WriteSlots slots;
  private final long injectBytes;
  private final boolean immApart;
  private final RmaMessage message;

  /**
   * For one NIC.
   *
   * <p>In rxm over tcp of libfabric 1.17 a connection that ends while the bytes of a write with an
   * immediate come in is a null pointer at the target, whoever ends it. Writes without immediates,
   * and immediates without bytes, are safe. So there the bytes go first and the immediate behind
   * them, and come in this order because the provider keeps that of writes.
   */
  Poster(OpenFabric fabric, Arena arena, WriteSlots slots) {
    this.lib = fabric.lib;
    this.slots = slots;
    this.injectBytes = fabric.info.injectBytes();
    this.immApart = fabric.info.provider().equals("tcp;ofi_rxm") && fabric.info.keepsWriteOrder();
    this.message = new RmaMessage(arena);
  }

  /** Whether a write takes two operations, of which the second may be refused. */
  boolean isApart(int slot) {
    return immApart && slots.hasImm(slot) && slots.length(slot) > 0;
  }

  /** Posts a write as one operation. */
  long post(int slot, Route route, Initiator initiator) {
    return slots.hasImm(slot)
        ? writeWithImm(slot, slots.length(slot), route, initiator)
        : lib.fi_write(
            initiator.fid(),
            slots.source(slot),
            slots.length(slot),
            slots.desc(slot),
            route.destination(),
            slots.target(slot),
            route.key(),
            slots.context(slot));
  }

  private long writeWithImm(int slot, long length, Route route, Initiator initiator) {
    return lib.fi_writedata(
        initiator.fid(),
        slots.source(slot),
        length,
        slots.desc(slot),
        slots.imm(slot),
        route.destination(),
        slots.target(slot),
        route.key(),
        slots.context(slot));
  }

  /** Posts the bytes, whose completion says nothing that the immediate's does not. */
  long postBytes(int slot, Route route, Initiator initiator) {
    long length = slots.length(slot);
    if (length <= injectBytes) {
      return lib.fi_inject_write(
          initiator.fid(),
          slots.source(slot),
          length,
          route.destination(),
          slots.target(slot),
          route.key());
    }
    message
        .from(slots.source(slot), length, slots.desc(slot))
        .to(route.destination(), slots.target(slot), route.key())
        .context(slots.contextOfBytes(slot));
    return lib.fi_writemsg(initiator.fid(), message.address(), Fi.FI_MORE);
  }

  /** Posts the immediate. */
  long postImm(int slot, Route route, Initiator initiator) {
    return writeWithImm(slot, 0, route, initiator);
  }
}
