package io.reactivetransfer.tcp;

import io.netty.buffer.Unpooled;
import io.reactivetransfer.Access;
import io.reactivetransfer.EngineId;
import io.reactivetransfer.fuzz.Input;
import io.reactivetransfer.fuzz.Mutation;
import io.reactivetransfer.spi.LocalMemory;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;

/**
 * One case: a few hostile origins and an honest one connect to one NIC, send, and are cut off, in
 * any order, while memory is revoked and the engine polls or does not.
 */
final class InboundCase {

  private static final int MAX_LINKS = 5;

  /** Memory of the NIC under its present key. */
  private static final class Registered {
    final NicModel.Region region;
    LocalMemory memory;

    Registered(NicModel.Region region, LocalMemory memory) {
      this.region = region;
      this.memory = memory;
    }
  }

  private final Input in;
  private final FuzzNic nic;
  private final boolean large;
  private final List<Registered> regions = new ArrayList<>();
  private final List<HostileOrigin.Known> known = new ArrayList<>();
  private final List<InboundPair> links = new ArrayList<>();
  private final List<EngineId> ids;
  private final HostileOrigin hostile;
  private Registered friendly;
  private InboundPair friend;

  InboundCase(Input in, FuzzNic nic, boolean large) {
    this.in = in;
    this.nic = nic;
    this.large = large;
    this.ids = List.of(new EngineId(in.anyLong(), 1), new EngineId(in.anyLong(), 2));
    this.hostile = new HostileOrigin(in, known);
  }

  void run() {
    for (int i = in.between(1, 4); i > 0; i--) {
      register(in.chance(80) ? Access.REMOTE_WRITE : Access.LOCAL);
    }
    friendly = register(Access.REMOTE_WRITE);
    known.removeLast(); // nobody else knows this key
    friend = connect(FuzzHandshake.hello(new EngineId(in.anyLong(), 3), nic.id, 0));
    links.add(hostile());
    for (int steps = in.between(1, 30); steps > 0; steps--) {
      step();
    }
    finish();
  }

  private Registered register(Access access) {
    int length = large && in.chance(60) ? in.between(66_500, 110_000) : in.between(1, 600);
    NicModel.Region region =
        new NicModel.Region(nic.ground.place(in, length), length, access == Access.REMOTE_WRITE);
    Registered registered = new Registered(region, nic.register(region.at(), length, access));
    regions.add(registered);
    in.note(() -> access + " memory " + regions.size() + ": " + region);
    granted(registered);
    return registered;
  }

  private void granted(Registered registered) {
    nic.model.grant(registered.memory.key(), registered.region);
    known.add(new HostileOrigin.Known(registered.memory.key(), registered.region.length()));
  }

  private InboundPair connect(byte[] first) {
    InboundPair pair = new InboundPair(nic, in.chance(50) ? 512 : 16 << 10);
    pair.send(first);
    return pair;
  }

  private InboundPair hostile() {
    byte[] hello = FuzzHandshake.hello(in.oneOf(ids), nic.id, in.below(3));
    byte[] first =
        switch (in.below(10)) {
          case 0 -> FuzzHandshake.nearlyHello(in, hello);
          case 1 -> Mutation.some(in, hello);
          default -> hello;
        };
    in.note(() -> "a connection: " + hex(first));
    return connect(first);
  }

  private void step() {
    InboundPair link = in.oneOf(links);
    int what = in.below(100);
    if (what < 40) {
      byte[] bytes = hostile.next();
      in.note(() -> "connection " + links.indexOf(link) + " is to send " + hex(bytes));
      link.send(bytes);
    } else if (what < 70) {
      int most = in.chance(50) ? in.between(1, 60) : large ? 200_000 : 5_000;
      in.note(() -> "connection " + links.indexOf(link) + ", " + most + " bytes at most");
      link.deliver(most);
      nic.ground.check();
    } else if (what < 80) {
      in.note(() -> "poll");
      nic.poll();
    } else if (what < 84) {
      revoke(in.oneOf(regions));
    } else if (what < 90) {
      friendlyWrite();
    } else if (what < 94) {
      if (links.size() < MAX_LINKS) {
        links.add(hostile());
      }
    } else if (what < 96) {
      int room = in.chance(50) ? in.below(200) : Integer.MAX_VALUE;
      in.note(() -> "connection " + links.indexOf(link) + " takes " + room + " bytes");
      link.room(room);
    } else if (what < 98) {
      nic.pass(in.below(900));
    } else {
      in.note(() -> "connection " + links.indexOf(link) + " is cut off");
      link.cut();
    }
  }

  private void revoke(Registered registered) {
    if (registered == friendly) {
      return;
    }
    nic.model.revoke(registered.memory.key());
    if (in.chance(70)) {
      in.note(() -> "memory " + (regions.indexOf(registered) + 1) + " is revoked");
      registered.memory = nic.revoke(registered.memory);
      granted(registered);
    } else {
      in.note(() -> "memory " + (regions.indexOf(registered) + 1) + " is deregistered");
      nic.deregister(registered.memory);
      regions.remove(registered);
    }
  }

  private void friendlyWrite() {
    int length = in.below(1 + Math.min(200, friendly.region.length()));
    MemoryKey key = MemoryKey.decode(friendly.memory.key());
    int offset = in.below(1 + friendly.region.length() - length);
    var out = Wire.putWrite(Unpooled.buffer(), true, in.anyInt(), key, offset, length);
    friend.send(FuzzHandshake.bytes(out.writeBytes(in.bytes(length))));
    friend.deliver(in.between(1, 400));
  }

  private void finish() {
    in.note(() -> "the end: all that is to be sent is sent");
    for (InboundPair link : links) {
      link.room(Integer.MAX_VALUE);
      link.deliverAll();
    }
    friendlyWrite();
    friend.deliverAll();
    nic.poll();
    nic.ground.check();
    links.forEach(InboundPair::check);
    nic.passConnectTimeout();
    links.forEach(InboundPair::outOfTime);
    if (!friend.isOpen()) {
      throw new AssertionError("expected the honest origin to be unharmed");
    }
    friend.check();
    links.forEach(InboundPair::cut);
    friend.cut();
    nic.close();
  }

  private static String hex(byte[] bytes) {
    String hex = HexFormat.of().formatHex(bytes, 0, Math.min(bytes.length, 100));
    return hex + (bytes.length > 100 ? "... (" + bytes.length + " bytes)" : "");
  }
}
