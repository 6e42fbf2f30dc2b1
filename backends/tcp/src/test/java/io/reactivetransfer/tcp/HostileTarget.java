package io.reactivetransfer.tcp;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.reactivetransfer.EngineId;
import io.reactivetransfer.control.socket.Failure;
import io.reactivetransfer.fuzz.Input;
import io.reactivetransfer.fuzz.Mutation;

/** What a target sends that keeps to the protocol mostly. */
final class HostileTarget {

  private HostileTarget() {}

  /** Its answer to the hello. */
  static byte[] answer(Input in, EngineId target) {
    byte[] welcome = FuzzHandshake.welcome(target);
    return switch (in.below(12)) {
      case 0 -> FuzzHandshake.refusal(in);
      case 1 -> Mutation.some(in, welcome);
      case 2 -> Mutation.one(in, FuzzHandshake.refusal(in));
      case 3 -> FuzzHandshake.challenge(in);
      case 4 -> FuzzHandshake.provenWelcome(in, target);
      default -> welcome;
    };
  }

  /** What it says next. */
  static byte[] next(Input in, LinkModel origin) {
    byte[] frame = frame(in, origin);
    return in.chance(5) ? Mutation.some(in, frame) : frame;
  }

  private static byte[] frame(Input in, LinkModel origin) {
    ByteBuf out = Unpooled.buffer();
    int most = origin.inFlight();
    int kind = in.below(100);
    if (kind < 55 && most > 0) {
      Wire.putAck(out, origin.settledHere() + in.between(1, most));
    } else if (kind < 80 && most > 0) {
      Wire.putNack(out, origin.settledHere() + 1, any(in));
    } else if (kind < 86) {
      Wire.putAck(out, in.chance(50) ? in.edge() : origin.settledHere() + in.between(-2, most + 2));
    } else if (kind < 90) {
      Wire.putNack(out, origin.settledHere() + in.between(-1, 3), any(in));
    } else if (kind < 92) {
      int length = in.chance(50) ? in.below(40) : in.between(510, 515);
      out.writeByte(Wire.GOODBYE).writeShort((int) in.edge()).writeShort(length);
      out.writeBytes(in.bytes(length));
    } else if (kind < 93) {
      out.writeByte(in.below(9)).writeBytes(in.bytes(in.below(40)));
    }
    return FuzzHandshake.bytes(out);
  }

  /** A text that wants more than to be read, or one that is only long. */
  static String text(Input in, int length) {
    int[] unfit = {0x1b, '\n', 0x7f, 0x85, 0x9b, 0x200b, 0x2028, 0x2029, 0x202e, 0xd800, 0xe0041};
    return in.chance(30)
        ? "[2J" + Character.toString(unfit[in.below(unfit.length)])
        : "x".repeat(in.below(length));
  }

  /** Any code, also one that stands for something that only this side can know. */
  private static Failure any(Input in) {
    int code = in.chance(60) ? in.below(22) : (int) in.edge() & 0xffff;
    return new Failure(code, text(in, 30));
  }
}
