package io.reactivetransfer.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.reactivetransfer.Access;
import io.reactivetransfer.EngineId;
import io.reactivetransfer.fuzz.Fuzz;
import io.reactivetransfer.fuzz.Input;
import io.reactivetransfer.fuzz.Target;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Too much of what is allowed: who sends it waits, memory stays bounded, and others go on. */
class FloodTest {

  private static final int READ_BYTES = 16 << 10;
  private static final int MAX_EVENTS = 8_192;
  private static final int FRIENDLY_BYTES = 64;

  private FuzzNic nic;
  private LinkPair friend;
  private byte[] friendlyKey;
  private int writes;

  private void run(Runnable flood) {
    Fuzz.single(Target.TCP_INBOUND, in -> run(in, flood));
  }

  private void run(Input in, Runnable flood) {
    nic = new FuzzNic(new FuzzNic.Shared(), in, false);
    friendlyKey = nic.register(0, FRIENDLY_BYTES, Access.REMOTE_WRITE).key();
    nic.model.grant(friendlyKey, new NicModel.Region(0, FRIENDLY_BYTES, true));
    friend = connect(0);
    flood.run();
    friendlyWrite();
    nic.poll();
    friend.check();
    friend.cut();
    nic.close();
  }

  private LinkPair connect(int number) {
    LinkPair pair = LinkPair.accepted(nic, READ_BYTES);
    pair.send(FuzzHandshake.hello(new EngineId(7, number), nic.id, 0));
    pair.deliverAll();
    return pair;
  }

  private void friendlyWrite() {
    ByteBuf out = Unpooled.buffer();
    Wire.putWrite(out, true, ++writes, MemoryKey.decode(friendlyKey), 0, FRIENDLY_BYTES);
    friend.send(FuzzHandshake.bytes(out.writeZero(FRIENDLY_BYTES)));
    assertThat(friend.deliver(READ_BYTES)).as("the honest origin is read").isTrue();
  }

  @Test
  void ofWritesIsReadAsTheEngineTakesThem() {
    run(() -> {
      ByteBuf out = Unpooled.buffer();
      for (int i = 0; i < 50_000; i++) {
        Wire.putWrite(out, true, i, MemoryKey.decode(friendlyKey), 0, 0);
      }
      flood(FuzzHandshake.bytes(out), MAX_EVENTS + READ_BYTES / Wire.WRITE_BYTES + 1);
    });
  }

  private void flood(byte[] bytes, int maxEvents) {
    LinkPair hostile = connect(1);
    hostile.send(bytes);
    int most = 0;
    int turns = 0;
    do {
      while (hostile.deliver(READ_BYTES)) {
        // as long as it is read
      }
      most = Math.max(most, nic.domain.events().size());
      nic.poll();
      turns++;
    } while (hostile.hasUnread());
    hostile.check();
    hostile.cut();
    assertThat(most).as("events at a time").isLessThanOrEqualTo(maxEvents);
    assertThat(turns).as("turns that it took").isGreaterThan(4);
  }

  @Test
  void ofWritesWhoseAnswersNobodyReads() {
    run(() -> {
      LinkPair hostile = connect(1);
      hostile.room(0);
      ByteBuf out = Unpooled.buffer();
      for (int i = 0; i < 100_000; i++) {
        Wire.putWrite(out, false, 0, new MemoryKey(i, i), 0, 0);
      }
      hostile.send(FuzzHandshake.bytes(out));
      for (int i = 0; i < 1_000; i++) {
        hostile.deliver(READ_BYTES);
        nic.poll();
        assertThat(nic.buffers.heldBytes()).as("bytes in buffers").isLessThan(1 << 20);
      }
      assertThat(hostile.hasUnread()).as("it waits").isTrue();
      friendlyWrite();

      hostile.room(Integer.MAX_VALUE);
      while (hostile.hasUnread()) {
        assertThat(hostile.deliver(READ_BYTES)).as("read on").isTrue();
        nic.poll();
      }
      hostile.check();
      hostile.cut();
    });
  }

  @Test
  void ofConnectionsFillsItsPlacesAndNoMore() {
    run(() -> {
      List<FuzzSocket> sockets = new ArrayList<>();
      for (int i = 0; i < 5_000; i++) {
        sockets.add(nic.connected(READ_BYTES));
      }
      long open = sockets.stream().filter(FuzzSocket::isOpen).count();
      assertThat(open).as("connections at a time").isBetween(1L, (long) FuzzNic.LIMITS.halfOpen());
      friendlyWrite();
      nic.passConnectTimeout();
      assertThat(sockets).as("without a hello").noneMatch(FuzzSocket::isOpen);
      connect(2).cut();
    });
  }
}
