package io.reactivetransfer.moe;

import io.reactivetransfer.DescriptorFormatException;
import io.reactivetransfer.Imm;
import io.reactivetransfer.RegionDescriptor;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.zip.CRC32C;

/**
 * The bytes of messages: version, kind, name and epoch of the group, the fields, CRC-32C of all
 * before it; numbers are big-endian. What is read may be anything: each length is checked against
 * what is left before memory is taken for it.
 */
final class MoeCodec {

  static final int VERSION = 2;

  private static final int JOIN = 1;
  private static final int GIVE_UP = 2;
  private static final int LEAVE = 3;
  private static final int ASK = 4;
  private static final int TELL = 5;

  private static final int MAX_DESCRIPTOR_BYTES = 4_096;
  private static final int MIN_BYTES = 3 + Long.BYTES + Integer.BYTES;

  private MoeCodec() {}

  static ByteBuffer encode(MoeMessage message) {
    ByteBuffer out =
        ByteBuffer.allocate(
            1_024
                + MoeMessage.MAX_NAME_BYTES
                + 2 * MoeMessage.MAX_TEXT_BYTES
                + MAX_DESCRIPTOR_BYTES);
    out.put((byte) VERSION);
    out.put(
        (byte)
            switch (message) {
              case MoeMessage.Join ignored -> JOIN;
              case MoeMessage.GiveUp ignored -> GIVE_UP;
              case MoeMessage.Leave ignored -> LEAVE;
              case MoeMessage.Ask ignored -> ASK;
              case MoeMessage.Tell ignored -> TELL;
            });
    byte[] name = message.group().name().getBytes(StandardCharsets.UTF_8);
    out.put((byte) name.length).put(name).putLong(message.group().epoch());
    switch (message) {
      case MoeMessage.Join join -> {
        out.putInt(join.rank()).put((byte) (join.wantsAnswer() ? 1 : 0)).putLong(join.digest());
        putBytes(out, cut(join.shape()));
        putBytes(out, cut(join.ranks()));
        out.putInt(join.imm());
        putBytes(out, join.descriptor().toBytes());
      }
      case MoeMessage.GiveUp giveUp -> {
        out.putInt(giveUp.blamed()).putInt(giveUp.to());
        putBytes(out, cut(giveUp.why()));
      }
      case MoeMessage.Leave leave -> {
        out.put((byte) leave.steps().size());
        for (long steps : leave.steps()) {
          out.putLong(steps);
        }
      }
      case MoeMessage.Ask ask -> out.put((byte) ask.lane());
      case MoeMessage.Tell tell -> out.put((byte) tell.lane()).putLong(tell.progress());
    }
    out.putInt(checksum(out.slice(0, out.position())));
    return out.flip();
  }

  private static void putBytes(ByteBuffer out, byte[] bytes) {
    out.putShort((short) bytes.length).put(bytes);
  }

  /** At most so many bytes, of whole characters. */
  private static byte[] cut(String text) {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    if (bytes.length <= MoeMessage.MAX_TEXT_BYTES) {
      return bytes;
    }
    int end = MoeMessage.MAX_TEXT_BYTES;
    while ((bytes[end] & 0xc0) == 0x80) {
      end--;
    }
    return Arrays.copyOf(bytes, end);
  }

  private static int checksum(ByteBuffer bytes) {
    CRC32C checksum = new CRC32C();
    checksum.update(bytes);
    return (int) checksum.getValue();
  }

  /**
   * Reads what {@link #encode} wrote.
   *
   * @throws MoeFormatException if the bytes are anything else
   */
  static MoeMessage decode(ByteBuffer bytes) {
    ByteBuffer in = bytes.slice();
    if (in.remaining() < MIN_BYTES) {
      throw new MoeFormatException(MIN_BYTES + " bytes or more", in.remaining() + " (truncated?)");
    }
    int end = in.remaining() - Integer.BYTES;
    if (in.getInt(end) != checksum(in.slice(0, end))) {
      throw new MoeFormatException("a matching checksum", "another one (damaged?)");
    }
    in.limit(end);
    int version = in.get();
    if (version != VERSION) {
      throw new MoeFormatException(
          "version " + VERSION, version + "; let all processes run the same release");
    }
    int kind = in.get();
    String name = text("a group's name", in, within("bytes of a name", in.get() & 0xff, 1, 255));
    GroupEpoch group = new GroupEpoch(name, i64("an epoch", in, 0));
    MoeMessage message =
        switch (kind) {
          case JOIN ->
              new MoeMessage.Join(
                  group,
                  i32("a rank", in, 0, ExpertPlacement.MAX_RANKS - 1),
                  u8("a flag", in, 0, 1) == 1,
                  i64("a digest", in, Long.MIN_VALUE),
                  longText("a shape", in),
                  longText("ranks", in),
                  i32("an immediate", in, 0, Imm.MAX_VALUE),
                  descriptor(in));
          case GIVE_UP ->
              new MoeMessage.GiveUp(
                  group,
                  i32("a rank or -1", in, -1, ExpertPlacement.MAX_RANKS - 1),
                  i32("an immediate or -1", in, MoeMessage.NOT_HEARD, Imm.MAX_VALUE),
                  longText("a reason", in));
          case LEAVE -> {
            int lanes = u8("a number of lanes", in, 1, MoeShape.MAX_LANES);
            List<Long> steps = new ArrayList<>(lanes);
            for (int lane = 0; lane < lanes; lane++) {
              steps.add(i64("a number of steps", in, 0));
            }
            yield new MoeMessage.Leave(group, List.copyOf(steps));
          }
          case ASK -> new MoeMessage.Ask(group, u8("a lane", in, 0, MoeShape.MAX_LANES - 1));
          case TELL ->
              new MoeMessage.Tell(
                  group, u8("a lane", in, 0, MoeShape.MAX_LANES - 1), i64("a progress", in, 0));
          default -> throw new MoeFormatException("a kind of 1 to 5", String.valueOf(kind));
        };
    if (in.hasRemaining()) {
      throw new MoeFormatException("no bytes behind the last field", in.remaining() + " of them");
    }
    return message;
  }

  private static int u8(String field, ByteBuffer in, int min, int max) {
    need(field, in, 1);
    return within(field, in.get() & 0xff, min, max);
  }

  private static int i32(String field, ByteBuffer in, int min, int max) {
    need(field, in, Integer.BYTES);
    return within(field, in.getInt(), min, max);
  }

  private static long i64(String field, ByteBuffer in, long min) {
    need(field, in, Long.BYTES);
    long value = in.getLong();
    if (value < min) {
      throw new MoeFormatException(field + " of " + min + " or more", String.valueOf(value));
    }
    return value;
  }

  private static RegionDescriptor descriptor(ByteBuffer in) {
    need("a descriptor", in, Short.BYTES);
    int length = within("bytes of a descriptor", in.getShort() & 0xffff, 0, MAX_DESCRIPTOR_BYTES);
    need("a descriptor", in, length);
    byte[] bytes = new byte[length];
    in.get(bytes);
    try {
      return RegionDescriptor.fromBytes(bytes);
    } catch (DescriptorFormatException e) {
      throw new MoeFormatException("a descriptor", "something else: " + e.getMessage());
    }
  }

  private static String longText(String field, ByteBuffer in) {
    need(field, in, Short.BYTES);
    int length = in.getShort() & 0xffff;
    return text(field, in, within("bytes of " + field, length, 0, MoeMessage.MAX_TEXT_BYTES));
  }

  private static String text(String field, ByteBuffer in, int length) {
    need(field, in, length);
    ByteBuffer utf8 = in.slice(in.position(), length);
    in.position(in.position() + length);
    try {
      return StandardCharsets.UTF_8.newDecoder().decode(utf8).toString();
    } catch (CharacterCodingException e) {
      throw new MoeFormatException("UTF-8 as " + field, "bytes that are something else");
    }
  }

  private static int within(String field, int value, int min, int max) {
    if (value < min || value > max) {
      throw new MoeFormatException(field + " of " + min + " to " + max, String.valueOf(value));
    }
    return value;
  }

  private static void need(String field, ByteBuffer in, int bytes) {
    if (in.remaining() < bytes) {
      throw new MoeFormatException(bytes + " bytes of " + field, in.remaining() + " (truncated?)");
    }
  }
}
