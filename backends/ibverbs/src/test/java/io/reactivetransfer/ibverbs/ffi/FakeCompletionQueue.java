package io.reactivetransfer.ibverbs.ffi;

import io.reactivetransfer.ffm.ffi.Raw;
import java.lang.foreign.Arena;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Queue;

/** Completions until they are polled: no more than were asked room for. */
final class FakeCompletionQueue extends FakeObject {

  /** Fills what the header does not define of a completion that has failed. */
  private static final byte UNDEFINED = (byte) 0xee;

  /**
   * One of them.
   *
   * @param qp whose
   * @param id of the request
   * @param status such as {@link Ib#IBV_WC_SUCCESS}
   * @param bytes that came with it, of a receive; of what was sent nobody defines it
   * @param imm as it was sent, in network order
   * @param flags such as {@link Ib#IBV_WC_WITH_IMM}
   * @param place of the request in the send queue; 0 for a receive
   */
  record Completion(
      FakeQueuePair qp, long id, int status, int bytes, int imm, int flags, long place) {}

  private final FakeObject.Channel channel;
  private final int most;
  private final Queue<Completion> completions = new ArrayDeque<>();
  private boolean isArmed;
  int toBeAcknowledged;

  FakeCompletionQueue(Arena arena, FakeObject.Channel channel, int most) {
    super(arena, channel.context, channel);
    this.channel = channel;
    this.most = most;
  }

  void arm() {
    isArmed = true;
  }

  void add(Completion completion, FakeBooks books) {
    if (completions.size() == most) {
      books.mistake("an overrun of a completion queue of " + most);
      return;
    }
    completions.add(completion);
    if (isArmed) {
      isArmed = false;
      channel.events.add(0, address);
    }
  }

  /** None is given of a queue pair that is gone. */
  void forget(FakeQueuePair qp) {
    completions.removeIf(each -> each.qp() == qp);
  }

  int poll(int count, long wcs) {
    int polled = 0;
    for (; polled < count && !completions.isEmpty(); polled++) {
      Completion next = completions.remove();
      long wc = wcs + polled * IbLayout.WC_BYTES;
      byte[] rest = new byte[(int) IbLayout.WC_BYTES];
      if (next.status() != Ib.IBV_WC_SUCCESS) {
        Arrays.fill(rest, UNDEFINED);
      }
      Raw.put(wc, rest);
      Raw.putLong(IbLayout.WC_ID.in(wc), next.id());
      Raw.putInt(IbLayout.WC_STATUS.in(wc), next.status());
      Raw.putInt(IbLayout.WC_VENDOR_ERR.in(wc), next.status() == 0 ? 0 : 0x42);
      Raw.putInt(IbLayout.WC_QP_NUM.in(wc), next.qp().number);
      if (next.status() == Ib.IBV_WC_SUCCESS) {
        Raw.putInt(IbLayout.WC_BYTE_LEN.in(wc), next.bytes());
        Raw.putInt(IbLayout.WC_IMM.in(wc), next.imm());
        Raw.putInt(IbLayout.WC_FLAGS.in(wc), next.flags());
      }
      next.qp().polled(next.place());
    }
    return polled;
  }

  @Override
  void end() {
    super.end();
    channel.events.removeIf(event -> event.element() == address);
  }
}
