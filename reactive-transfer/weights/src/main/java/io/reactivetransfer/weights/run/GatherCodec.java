package io.reactivetransfer.weights.run;

import io.reactivetransfer.Imm;
import io.reactivetransfer.RegionDescriptor;
import io.reactivetransfer.weights.internal.MessageText;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.CRC32C;

/** The bytes of what ranks of a trainer say to each other; docs/weights.md has them as a table. */
final class GatherCodec {

  static final byte VERSION = 1;

  /** The most steps that are asked for by one message. */
  static final int MAX_STEPS = 4_096;

  private static final int MAX_TEXT = 512;
  private static final int HEADER = 2 + Long.BYTES;
  private static final int CHECKSUM = Integer.BYTES;
  private static final byte ASK = 1;
  private static final byte TEMPORARIES = 2;
  private static final byte GRANT = 3;
  private static final byte FAILED = 4;

  private GatherCodec() {}

  /** How many steps can be asked for by a message of so many bytes; 1 if it is not even one. */
  static int stepsOfOneMessage(int bytes) {
    return Math.clamp((bytes - HEADER - Integer.BYTES - CHECKSUM) / (2 * Long.BYTES), 1, MAX_STEPS);
  }

  /** How many bytes of text a message of so many bytes can carry. */
  static int textOfOneMessage(int bytes) {
    return Math.clamp((long) bytes - HEADER - CHECKSUM, 0, MAX_TEXT);
  }

  static ByteBuffer encode(GatherMessage message) {
    return encode(message, MAX_TEXT);
  }

  /**
   * The same.
   *
   * @param mostText how many bytes of a text are said; what is longer is cut
   */
  static ByteBuffer encode(GatherMessage message, int mostText) {
    return switch (message) {
      case GatherMessage.Ask ask -> {
        int steps = ask.steps().size();
        ByteBuffer out = begin(ASK, message, Integer.BYTES + steps * 2 * Long.BYTES);
        out.putInt(steps);
        for (GatherMessage.AskedStep step : ask.steps()) {
          out.putLong(step.order()).putLong(step.bytes());
        }
        yield end(out);
      }
      case GatherMessage.Temporaries one -> {
        byte[] descriptor = one.descriptor().toBytes();
        ByteBuffer out = begin(TEMPORARIES, message, descriptor.length);
        yield end(out.put(descriptor));
      }
      case GatherMessage.Grant grant -> {
        ByteBuffer out = begin(GRANT, message, 2 * Long.BYTES + Integer.BYTES);
        yield end(out.putLong(grant.order()).putLong(grant.offset()).putInt(grant.imm()));
      }
      case GatherMessage.Failed failed -> {
        byte[] text = failed.why().getBytes(StandardCharsets.UTF_8);
        int length = Math.min(text.length, mostText);
        yield end(begin(FAILED, message, length).put(text, 0, length));
      }
    };
  }

  private static ByteBuffer begin(byte kind, GatherMessage message, int length) {
    ByteBuffer out = ByteBuffer.allocate(HEADER + length + CHECKSUM);
    return out.put(VERSION).put(kind).putLong(message.update());
  }

  private static ByteBuffer end(ByteBuffer out) {
    CRC32C checksum = new CRC32C();
    checksum.update(out.duplicate().flip());
    return out.putInt((int) checksum.getValue()).flip();
  }

  /**
   * Reads what {@link #encode} wrote.
   *
   * @throws IllegalArgumentException if the bytes are anything else; the text says what was
   *     expected
   */
  static GatherMessage decode(ByteBuffer bytes) {
    ByteBuffer in = bytes.slice();
    int length = in.remaining() - CHECKSUM;
    if (length < HEADER) {
      throw bad("at least " + (HEADER + CHECKSUM) + " bytes", in.remaining());
    }
    if (in.get(0) != VERSION) {
      throw bad("version " + VERSION, in.get(0));
    }
    CRC32C checksum = new CRC32C();
    checksum.update(in.slice(0, length));
    if (in.getInt(length) != (int) checksum.getValue()) {
      throw bad("checksum " + checksum.getValue(), in.getInt(length) & 0xffffffffL);
    }
    in.limit(length).get();
    byte kind = in.get();
    long update = in.getLong();
    return switch (kind) {
      case ASK -> ask(update, in);
      case TEMPORARIES ->
          new GatherMessage.Temporaries(update, RegionDescriptor.fromBytes(rest(in)));
      case GRANT -> {
        if (in.remaining() != 2 * Long.BYTES + Integer.BYTES) {
          throw bad("a grant of 20 bytes", in.remaining());
        }
        GatherMessage.Grant grant =
            new GatherMessage.Grant(update, in.getLong(), in.getLong(), in.getInt());
        if (grant.offset() < 0 || grant.imm() < 0 || grant.imm() > Imm.MAX_VALUE) {
          throw bad("an offset of 0 or more and an immediate", grant);
        }
        yield grant;
      }
      case FAILED -> {
        if (in.remaining() > MAX_TEXT) {
          throw bad("a text of at most " + MAX_TEXT + " bytes", in.remaining());
        }
        String why = new String(rest(in), StandardCharsets.UTF_8);
        yield new GatherMessage.Failed(update, MessageText.printable(why));
      }
      default -> throw bad("a kind of 1 to 4", kind);
    };
  }

  private static GatherMessage ask(long update, ByteBuffer in) {
    int steps = in.remaining() < Integer.BYTES ? -1 : in.getInt();
    if (steps < 1 || steps > MAX_STEPS || in.remaining() != steps * 2 * Long.BYTES) {
      throw bad("1 to " + MAX_STEPS + " steps of 16 bytes", steps + " in " + in.remaining());
    }
    List<GatherMessage.AskedStep> asked = new ArrayList<>(steps);
    for (int i = 0; i < steps; i++) {
      asked.add(new GatherMessage.AskedStep(in.getLong(), in.getLong()));
    }
    return new GatherMessage.Ask(update, asked);
  }

  private static byte[] rest(ByteBuffer in) {
    byte[] rest = new byte[in.remaining()];
    in.get(rest);
    return rest;
  }

  private static IllegalArgumentException bad(String expected, Object got) {
    return new IllegalArgumentException("expected " + expected + ", got " + got);
  }
}
