package io.reactivetransfer.tcp;

import io.netty.buffer.Unpooled;
import io.reactivetransfer.Access;
import io.reactivetransfer.EngineId;
import io.reactivetransfer.fuzz.Input;
import io.reactivetransfer.spi.LocalMemory;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;

/** One case: a NIC writes to one or two hostile targets, while an honest origin goes on. */
final class OutboundCase {

  private static final int SOURCE_BYTES = 6_000;
  private static final int FRIENDLY_BYTES = 100;

  private final Input in;
  private final FuzzNic nic;
  private final List<OutboundPair> links = new ArrayList<>();
  private LocalMemory source;
  private byte[] friendlyKey;
  private InboundPair friend;
  private long token;

  OutboundCase(Input in, FuzzNic nic) {
    this.in = in;
    this.nic = nic;
  }

  void run() {
    nic.ground.place(in, FRIENDLY_BYTES + SOURCE_BYTES);
    source = nic.register(0, SOURCE_BYTES, Access.LOCAL);
    friendlyKey = nic.register(SOURCE_BYTES, FRIENDLY_BYTES, Access.REMOTE_WRITE).key();
    nic.model.grant(friendlyKey, new NicModel.Region(SOURCE_BYTES, FRIENDLY_BYTES, true));
    friend = connect(new EngineId(in.anyLong(), 3));
    EngineId target = new EngineId(in.anyLong(), 4);
    begin(target, 0);
    if (in.chance(30)) {
      begin(in.chance(50) ? target : new EngineId(in.anyLong(), 5), 1);
    }
    for (int steps = in.between(1, 40); steps > 0; steps--) {
      step(in.oneOf(links));
    }
    finish();
  }

  private InboundPair connect(EngineId origin) {
    InboundPair pair = new InboundPair(nic, 512);
    pair.send(FuzzHandshake.hello(origin, nic.id, 0));
    pair.deliverAll();
    return pair;
  }

  private void begin(EngineId target, int number) {
    OutboundPair link = new OutboundPair(in, nic, target, number);
    links.add(link);
    byte[] answer = HostileTarget.answer(in, target);
    in.note(() -> "target " + number + " answers " + HexFormat.of().formatHex(answer));
    link.answer(answer);
  }

  private void step(OutboundPair link) {
    int index = links.indexOf(link);
    int what = in.below(100);
    if (what < 35) {
      int length = in.chance(20) ? in.between(4_000, 5_000) : in.below(300);
      int offset = in.below(SOURCE_BYTES - length + 1);
      long next = token++;
      in.note(() -> "write " + next + " to " + index + ": " + length + " bytes");
      link.post(source, offset, length, next);
    } else if (what < 65) {
      byte[] bytes = HostileTarget.next(in, link.model());
      in.note(() -> "target " + index + " sends " + HexFormat.of().formatHex(bytes));
      link.answer(bytes);
    } else if (what < 85) {
      in.note(() -> "poll");
      nic.poll();
    } else if (what < 92) {
      int room = in.chance(50) ? in.below(5_000) : Integer.MAX_VALUE;
      in.note(() -> "target " + index + " takes " + room + " bytes");
      link.room(room);
    } else if (what < 97) {
      friendlyWrite();
    } else if (what < 98) {
      in.note(() -> "target " + index + " is cut off");
      link.cut();
    }
  }

  private void friendlyWrite() {
    int length = in.below(FRIENDLY_BYTES + 1);
    var out = Unpooled.buffer();
    Wire.putWrite(out, true, in.anyInt(), MemoryKey.decode(friendlyKey), 0, length);
    friend.send(FuzzHandshake.bytes(out.writeBytes(in.bytes(length))));
    friend.deliverAll();
  }

  private void finish() {
    in.note(() -> "the end: the targets take all");
    links.forEach(link -> link.room(Integer.MAX_VALUE));
    friendlyWrite();
    nic.poll();
    nic.ground.check();
    links.forEach(OutboundPair::check);
    if (!friend.isOpen()) {
      throw new AssertionError("expected the honest origin to be unharmed");
    }
    friend.check();
    links.forEach(OutboundPair::cut);
    friend.cut();
    nic.close();
  }
}
