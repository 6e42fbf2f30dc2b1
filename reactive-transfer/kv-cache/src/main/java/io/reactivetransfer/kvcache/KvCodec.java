package io.reactivetransfer.kvcache;

import io.reactivetransfer.Imm;
import io.reactivetransfer.PageList;
import io.reactivetransfer.RegionDescriptor;
import io.reactivetransfer.TraceContext;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * The bytes of a {@link KvMessage}: one version byte, one byte that says which message it is, its
 * id, its fields, and the CRC-32C of all before it. All numbers are big-endian.
 */
final class KvCodec {

  static final int VERSION = 4;
  static final int HEADER_BYTES = 1 + 1 + Long.BYTES;
  static final int CHECKSUM_BYTES = Integer.BYTES;

  /** The most that any engine can be told to send. */
  static final int MAX_BYTES = 1 << 24;

  private static final int DESCRIBE = 1;
  private static final int DESCRIPTION = 2;
  private static final int REQUEST = 3;
  private static final int CANCEL = 4;
  private static final int END = 5;

  /** No descriptor is longer. */
  private static final int MAX_DESCRIPTOR_BYTES = 0xffff;

  private KvCodec() {}

  /**
   * The bytes of a message.
   *
   * @throws IllegalArgumentException if it is longer than any engine can send
   */
  static ByteBuffer encode(KvMessage message) {
    return switch (message) {
      case KvMessage.Describe describe ->
          new KvWriter(DESCRIBE, describe.id())
              .name(describe.node())
              .name(describe.model())
              .sealed();
      case KvMessage.Description description ->
          new KvWriter(DESCRIPTION, description.id())
              .name(description.node())
              .name(description.model())
              .layout(description.layout())
              .sealed();
      case KvMessage.Request request -> encode(request);
      case KvMessage.Cancel cancel -> new KvWriter(CANCEL, cancel.id()).sealed();
      case KvMessage.End end ->
          new KvWriter(END, end.id())
              .u8(end.outcome().code)
              .flag(end.quiet())
              .i64(end.arrivals())
              .text(end.text(), KvMessage.End.MAX_TEXT_BYTES)
              .sealed();
    };
  }

  private static ByteBuffer encode(KvMessage.Request request) {
    KvWriter out = new KvWriter(REQUEST, request.id());
    out.name(request.node()).name(request.model());
    out.i32(request.imms().base().value()).i32(request.imms().count());
    out.i64(request.arrivals()).i32(request.layouts());
    out.i32((int) request.deadline().toMillis());
    out.i64(request.span().firstToken()).i64(request.span().tokens());
    KvMessage.Target target = request.target();
    out.layout(target.layout()).i32(target.regions().size());
    target.regions().forEach(region -> out.bytes(ByteBuffer.wrap(region.toBytes())));
    out.pages(target.pages()).flag(target.tail() != null);
    KvMessage.Tail tail = target.tail();
    if (tail != null) {
      out.bytes(ByteBuffer.wrap(tail.region().toBytes())).i64(tail.offset()).i64(tail.length());
    }
    return out.bytes(request.traceContext().encoded()).bytes(request.body()).sealed();
  }

  /**
   * Reads what {@link #encode} wrote, out of bytes that may be anything.
   *
   * @throws KvFormatException if they are anything else
   */
  static KvMessage decode(ByteBuffer bytes) {
    KvReader in = new KvReader(bytes);
    int kind = in.u8("kind", DESCRIBE, END);
    long id = in.i64("id", Long.MIN_VALUE);
    KvMessage message =
        switch (kind) {
          case DESCRIBE -> new KvMessage.Describe(id, in.name("node"), in.name("model"));
          case DESCRIPTION ->
              new KvMessage.Description(
                  id, in.name("node"), in.name("model"), KvLayoutForm.read(in));
          case REQUEST -> request(in, id);
          case CANCEL -> new KvMessage.Cancel(id);
          default -> end(in, id);
        };
    in.end();
    return message;
  }

  private static KvMessage.Request request(KvReader in, long id) {
    String node = in.name("node");
    String model = in.name("model");
    Imm base = new Imm(in.i32("immediate", 0, Imm.MAX_VALUE));
    int count = in.i32("number of immediates", 1, Integer.MAX_VALUE);
    KvMessage.Imms imms = in.checked(() -> new KvMessage.Imms(base, count));
    long arrivals = in.i64("arrivals", 1);
    int layouts = in.i32("checksum of the layouts", Integer.MIN_VALUE, Integer.MAX_VALUE);
    Duration deadline = Duration.ofMillis(in.i32("deadline", 1, Integer.MAX_VALUE));
    long firstToken = in.i64("first token", 0);
    long tokens = in.i64("tokens", 0);
    KvSpan span = in.checked(() -> new KvSpan(firstToken, tokens));
    KvMessage.Target target = target(in);
    ByteBuffer trace = in.bytes("trace context", TraceContext.MAX_BYTES);
    TraceContext traceContext = in.checked(() -> TraceContext.decode(trace));
    ByteBuffer body = in.bytes("body", MAX_BYTES);
    return in.checked(() ->
        new KvMessage.Request(
            id, node, model, target, imms, arrivals, layouts, span, deadline, traceContext, body));
  }

  private static KvMessage.Target target(KvReader in) {
    KvLayout layout = KvLayoutForm.read(in);
    int count = in.count("regions", 1, Integer.BYTES);
    List<RegionDescriptor> regions = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      regions.add(descriptor(in, "region"));
    }
    int[] indices = in.ints("pages", layout.pages());
    PageList pages = indices.length == 0 ? null : in.checked(() -> PageList.of(indices));
    KvMessage.Tail tail = in.flag("tail") ? tail(in) : null;
    return in.checked(() -> new KvMessage.Target(layout, regions, pages, tail));
  }

  private static KvMessage.Tail tail(KvReader in) {
    RegionDescriptor region = descriptor(in, "tail");
    long offset = in.i64("tail offset", 0);
    long length = in.i64("tail length", 0);
    return in.checked(() -> new KvMessage.Tail(region, offset, length));
  }

  private static RegionDescriptor descriptor(KvReader in, String field) {
    ByteBuffer view = in.bytes(field, MAX_DESCRIPTOR_BYTES);
    byte[] bytes = new byte[view.remaining()];
    view.get(bytes);
    return in.checked(() -> RegionDescriptor.fromBytes(bytes));
  }

  private static KvMessage.End end(KvReader in, long id) {
    KvMessage.Outcome outcome =
        KvMessage.Outcome.of(in.u8("outcome", 1, KvMessage.Outcome.values().length));
    boolean quiet = in.flag("quiet");
    long arrivals = in.i64("arrivals", KvMessage.End.UNKNOWN);
    ByteBuffer text = in.bytes("text", KvMessage.End.MAX_TEXT_BYTES);
    return new KvMessage.End(id, outcome, quiet, arrivals, in.printable(text));
  }
}
