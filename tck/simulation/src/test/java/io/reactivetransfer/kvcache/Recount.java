package io.reactivetransfer.kvcache;

import java.nio.ByteBuffer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Has a request look as if it had been counted for whatever prefill has. */
public final class Recount {

  private Recount() {}

  /**
   * The same with another checksum of layouts; unchanged if it cannot be read, or has no pages.
   *
   * @param served the layout that prefill has of each model
   */
  public static ByteBuffer of(ByteBuffer bytes, Function<String, @Nullable KvLayout> served) {
    KvMessage message;
    try {
      message = KvCodec.decode(bytes.duplicate());
    } catch (KvFormatException unreadable) {
      return bytes;
    }
    if (!(message instanceof KvMessage.Request request) || request.target().pages() == null) {
      return bytes;
    }
    KvLayout own = served.apply(request.model());
    if (own == null) {
      return bytes;
    }
    int checksum;
    try {
      checksum = KvMapping.between(own, request.target().layout()).checksum();
    } catch (IllegalArgumentException unlike) {
      return bytes;
    }
    return KvCodec.encode(
        new KvMessage.Request(
            request.id(),
            request.node(),
            request.model(),
            request.target(),
            request.imms(),
            request.arrivals(),
            checksum,
            request.span(),
            request.deadline(),
            request.traceContext(),
            request.body()));
  }
}
