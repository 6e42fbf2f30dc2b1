package io.reactivetransfer.tcp;

import io.netty.buffer.Unpooled;
import io.reactivetransfer.Access;
import io.reactivetransfer.EngineId;
import io.reactivetransfer.fuzz.Input;
import io.reactivetransfer.fuzz.Mutation;
import io.reactivetransfer.spi.LocalMemory;
import io.reactivetransfer.spi.Operation;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;

/**
 * One case: a few hostile engines and an honest one connect to one NIC, or it connects to them, or
 * both at once; they send, are written to, and are cut off, in any order, while memory is revoked
 * and the engine polls or does not.
 */
final class LinkCase {

  private static final int MAX_LINKS = 5;
  private static final int SOURCE_BYTES = 6_000;
  private static final int LARGE_SOURCE_BYTES = 200_000;
  private static final long TARGET_STRIDE = 1_000_000;

  /** What is not longer is copied, so that its source is free at once. */
  private static final int MAX_COPIED_BYTES = 4_096;

  /** The same for what consists of rows: with its head, it fits into 64 KiB. */
  private static final int MAX_COPIED_ROWS_BYTES = 65_536 - 50;

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
  private final boolean dials;
  private final List<Registered> regions = new ArrayList<>();
  private final List<HostileOrigin.Known> known = new ArrayList<>();
  private final List<LinkPair> links = new ArrayList<>();
  private final List<EngineId> ids;
  private final HostileOrigin hostile;
  private Registered friendly;
  private LinkPair friend;
  private LocalMemory source;
  private int sourceAt;
  private long token;

  /**
   * With this NIC.
   *
   * @param large whether some writes are so long that the socket reads them to their place
   * @param dials whether it is mostly this NIC that connects
   */
  LinkCase(Input in, FuzzNic nic, boolean large, boolean dials) {
    this.in = in;
    this.nic = nic;
    this.large = large;
    this.dials = dials;
    this.ids = List.of(new EngineId(in.anyLong(), 1), new EngineId(in.anyLong(), 2));
    this.hostile = new HostileOrigin(in, known);
  }

  void run() {
    for (int i = in.between(1, 4); i > 0; i--) {
      register(in.chance(80) ? Access.REMOTE_WRITE : Access.LOCAL);
    }
    friendly = register(Access.REMOTE_WRITE);
    known.removeLast(); // nobody else knows this key
    sourceAt = nic.ground.place(in, sourceBytes());
    source = nic.register(sourceAt, sourceBytes(), Access.LOCAL);
    friend = LinkPair.accepted(nic, in.chance(50) ? 512 : 16 << 10);
    friend.send(FuzzHandshake.hello(new EngineId(in.anyLong(), 3), nic.id, 0));
    begin();
    for (int steps = in.between(1, 40); steps > 0; steps--) {
      step();
    }
    finish();
  }

  private int sourceBytes() {
    return large ? LARGE_SOURCE_BYTES : SOURCE_BYTES;
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

  private void begin() {
    EngineId engine = in.oneOf(ids);
    int index = in.below(3);
    if (in.chance(dials ? 80 : 20) && !hasDialled(engine, index)) {
      byte[] answer = HostileTarget.answer(in, engine);
      in.note(() -> "NIC " + index + " of " + engine + " answers " + hex(answer));
      LinkPair pair = LinkPair.dialled(nic, engine, index);
      pair.send(answer);
      links.add(pair);
      return;
    }
    byte[] hello = FuzzHandshake.hello(engine, nic.id, index);
    byte[] first =
        switch (in.below(10)) {
          case 0 -> FuzzHandshake.nearlyHello(in, hello);
          case 1 -> Mutation.some(in, hello);
          default -> hello;
        };
    in.note(() -> "a connection: " + hex(first));
    LinkPair pair = LinkPair.accepted(nic, in.chance(50) ? 512 : 16 << 10);
    pair.send(first);
    links.add(pair);
  }

  /** A NIC dials when it has no connection there, open or being made. */
  private boolean hasDialled(EngineId engine, int index) {
    return links.stream()
        .map(LinkPair::model)
        .anyMatch(link ->
            link.isDialled()
                && !link.isEnded()
                && link.engine().equals(engine)
                && link.nicIndex() == index);
  }

  private void step() {
    LinkPair link = in.oneOf(links);
    int index = links.indexOf(link);
    int what = in.below(100);
    if (what < 30) {
      byte[] bytes = in.chance(60) ? hostile.next() : HostileTarget.next(in, link.model());
      in.note(() -> "connection " + index + " is to bring " + hex(bytes));
      link.send(bytes);
    } else if (what < 55) {
      int most = in.chance(50) ? in.between(1, 60) : large ? 200_000 : 5_000;
      in.note(() -> "connection " + index + ", " + most + " bytes at most");
      link.deliver(most);
      links.forEach(LinkPair::noteEnd);
      nic.ground.check();
    } else if (what < 70) {
      post(link);
    } else if (what < 80) {
      in.note(() -> "poll");
      nic.poll();
    } else if (what < 84) {
      revoke(in.oneOf(regions));
    } else if (what < 89) {
      friendlyWrite();
    } else if (what < 94) {
      if (links.size() < MAX_LINKS) {
        begin();
      }
    } else if (what < 97) {
      int room = in.chance(50) ? in.below(200) : Integer.MAX_VALUE;
      in.note(() -> "connection " + index + " takes " + room + " bytes");
      link.room(room);
    } else if (what < 98) {
      nic.pass(in.below(900));
    } else {
      in.note(() -> "connection " + index + " is cut off");
      link.cut();
    }
  }

  private int postedBytes() {
    return in.chance(20) ? in.between(4_000, 5_000) : in.below(300);
  }

  /** The NIC writes to where that connection leads, on whichever it must. */
  private void post(LinkPair to) {
    if (!to.isOpen()) {
      return;
    }
    EngineId engine = to.model().engine();
    int index = to.model().nicIndex();
    LinkModel current = nic.model.path(engine, index).next();
    LinkPair link = links.stream().filter(each -> each.model() == current).findAny().orElseThrow();
    int most = large && in.chance(30) ? in.between(65_400, LARGE_SOURCE_BYTES) : postedBytes();
    int rows = most > 1 && in.chance(30) ? in.between(2, Math.min(most, 20)) : 1;
    int rowLength = most / rows;
    int length = rows * rowLength;
    int gap = rows == 1 ? 0 : in.below((sourceBytes() - length) / (rows - 1) + 1);
    int offset = in.below(sourceBytes() - length - (rows - 1) * gap + 1);
    long next = token++;
    int imm = in.chance(50) ? in.anyInt() : 0;
    boolean hasImm = imm != 0;
    long targetOffset = in.edge();
    String what = length + " bytes in " + rows + " rows";
    in.note(() -> "write " + next + " on " + links.indexOf(link) + ": " + what);
    TcpPeer peer =
        (TcpPeer) nic.domain.resolve(engine, index, new NicAddress("127.0.0.1", 1).encode());
    TcpRemoteMemory remote =
        (TcpRemoteMemory) nic.domain.resolve(peer, in.bytes(16), Long.MAX_VALUE);
    Operation op =
        new Operation()
            .between(source, remote)
            .range(offset, targetOffset, length)
            .inRows(rows, rowLength + gap, TARGET_STRIDE)
            .token(next);
    int out = links.stream().mapToInt(each -> each.model().inFlight()).sum();
    boolean mayRefuse = !link.isWritable() || out >= FuzzNic.DEPTH / 4;
    boolean taken = nic.domain.post(hasImm ? op.withImm(imm) : op.withoutImm()).isTaken();
    if (!taken && !mayRefuse) {
      throw new AssertionError("expected the write to be taken");
    }
    if (taken) {
      var frame = Wire.putWrite(Unpooled.buffer(), hasImm, imm, remote.key(), targetOffset, length);
      if (rows > 1) {
        frame.setByte(0, 9).writeInt(rows).writeLong(TARGET_STRIDE);
      }
      for (int row = 0; row < rows; row++) {
        frame.writeBytes(nic.ground.bytes(sourceAt + offset + row * (rowLength + gap), rowLength));
      }
      boolean copied = length <= (rows > 1 ? MAX_COPIED_ROWS_BYTES : MAX_COPIED_BYTES);
      current.posted(next, FuzzHandshake.bytes(frame), copied);
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
    for (LinkPair link : links) {
      link.room(Integer.MAX_VALUE);
      link.deliverAll();
      links.forEach(LinkPair::noteEnd);
    }
    friendlyWrite();
    friend.deliverAll();
    nic.poll();
    nic.ground.check();
    links.forEach(LinkPair::check);
    nic.passConnectTimeout();
    links.forEach(LinkPair::outOfTime);
    if (!friend.isOpen()) {
      throw new AssertionError("expected the honest engine to be unharmed");
    }
    friend.check();
    links.forEach(LinkPair::cut);
    friend.cut();
    links.stream()
        .map(link -> link.model().engine())
        .filter(Objects::nonNull)
        .forEach(nic::sessionEnded);
    nic.close();
  }

  private static String hex(byte[] bytes) {
    String hex = HexFormat.of().formatHex(bytes, 0, Math.min(bytes.length, 100));
    return hex + (bytes.length > 100 ? "... (" + bytes.length + " bytes)" : "");
  }
}
