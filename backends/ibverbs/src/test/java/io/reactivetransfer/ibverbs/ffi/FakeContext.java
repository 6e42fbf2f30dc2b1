package io.reactivetransfer.ibverbs.ffi;

import io.reactivetransfer.ffm.ffi.Raw;
import java.lang.foreign.Arena;

/** A device that someone has opened. */
final class FakeContext extends FakeObject {

  final FakeDevice device;
  final FakeEvents events = new FakeEvents();

  FakeContext(Arena arena, FakeDevice device) {
    super(arena, null);
    this.device = device;
    device.contexts.add(this);
    Raw.putInt(IbLayout.CONTEXT_ASYNC_FD.in(address), events.descriptor());
  }

  @Override
  void end() {
    super.end();
    device.contexts.remove(this);
    events.close();
  }
}
