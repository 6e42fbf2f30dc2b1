package io.reactivetransfer.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.Unpooled;
import io.reactivetransfer.Access;
import io.reactivetransfer.EngineId;
import io.reactivetransfer.control.socket.ErrorCode;
import io.reactivetransfer.fuzz.Fuzz;
import io.reactivetransfer.fuzz.Input;
import io.reactivetransfer.fuzz.Target;
import io.reactivetransfer.spi.RemoteMemory;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A few of the cases of the other fuzzers over real sockets, to see that nothing is different
 * there. What the key of the memory is, and how the network cuts the bytes, no seed decides.
 */
@Timeout(7_200)
class SocketFuzzTest {

  private static final int REGION_BYTES = 700;
  private static final int SOURCE_BYTES = 9_000;

  private final TestNic nic = new TestNic();
  private final TestNic friend = new TestNic();
  private final Ground ground = new Ground(2 << 10);
  private final TestNic.Registered region =
      nic.register(ground.segment(100, REGION_BYTES), Access.REMOTE_WRITE);
  private final TestNic.Registered source = nic.register(SOURCE_BYTES);
  private final TestNic.Registered friendly = nic.register(64);
  private final TestNic.Registered friendlySource = friend.register(64);
  private long cases;

  @AfterEach
  void close() {
    friend.close();
    nic.close();
  }

  @Test
  void overSockets() {
    Fuzz.run(
        Target.TCP_SOCKETS,
        in -> {
          if (in.chance(70)) {
            origin(in);
          } else {
            target(in);
          }
          if (cases++ % 50 == 0) {
            friend.write(friendlySource, friend.remote(nic, friendly), 64, cases);
            friend.awaitUntil(() -> friend.written.contains(cases));
            assertThat(friend.lost).isEmpty();
            friend.written.clear();
          }
          for (var reported : List.of(nic.written, nic.failed, nic.imms, nic.messages, nic.lost)) {
            reported.clear();
          }
          nic.log.clear();
          friend.log.clear();
        });
  }

  /** A hostile origin: what it sends, and the model of that. */
  private void origin(Input in) throws IOException {
    int known = nic.known();
    ground.reset();
    NicModel model = new NicModel(nic.id, ground);
    model.grant(region.local().key(), new NicModel.Region(100, REGION_BYTES, true));
    LinkModel link = LinkModel.accepted(model);
    byte[] bytes = script(in);
    link.feed(bytes, 0, bytes.length, 0);
    try (RawConnection raw = RawConnection.to(nic)) {
      boolean sent = send(in, raw, bytes);
      if (link.isEnded()) {
        drain(raw);
      } else if (link.isBetweenFrames()) {
        assertThat(sent).as("read to the end").isTrue();
        int last = 0x7d000000 | (int) cases;
        raw.writeHead(region.local().key(), 0, 0, last);
        nic.awaitUntil(() -> nic.imms.contains(last));
        nic.imms.clear();
      }
    }
    nic.awaitUntil(() -> nic.known() <= known);
    nic.run(ground::check);
  }

  private byte[] script(Input in) throws IOException {
    HostileOrigin origin =
        new HostileOrigin(in, List.of(new HostileOrigin.Known(region.local().key(), REGION_BYTES)));
    byte[] hello = FuzzHandshake.hello(new EngineId(in.anyLong(), in.anyLong()), nic.id, 0);
    ByteArrayOutputStream script = new ByteArrayOutputStream();
    script.write(in.chance(5) ? FuzzHandshake.nearlyHello(in, hello) : hello);
    for (int frames = in.below(12); frames > 0; frames--) {
      script.write(origin.next());
    }
    return script.toByteArray();
  }

  private static boolean send(Input in, RawConnection raw, byte[] bytes) {
    try {
      for (int from = 0; from < bytes.length; ) {
        int to = in.chance(50) ? bytes.length : from + in.between(1, bytes.length - from);
        raw.send(Arrays.copyOfRange(bytes, from, to));
        from = to;
      }
      return true;
    } catch (UncheckedIOException e) {
      return false; // it was refused half-way
    }
  }

  private static void drain(RawConnection raw) {
    while (!raw.isAtEnd()) {
      // on
    }
  }

  /** A hostile target: whatever it answers, a write is reported once. */
  private void target(Input in) throws IOException {
    try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      EngineId id = new EngineId(in.anyLong(), in.anyLong());
      byte[] address = RawConnection.addressOf(server).encode();
      RemoteMemory remote =
          nic.call(() ->
              nic.domain.resolve(nic.domain.resolve(id, 0, address), new byte[16], SOURCE_BYTES));
      int count = in.between(1, 5);
      for (int token = 0; token < count; token++) {
        nic.write(source, remote, in.below(SOURCE_BYTES), token);
      }
      try (RawConnection raw = RawConnection.from(server)) {
        raw.hello();
        send(in, raw, FuzzHandshake.welcome(id));
        raw.read(1);
        for (int frames = in.below(5); frames > 0; frames--) {
          send(in, raw, answer(in, count));
        }
      }
      nic.awaitLost();
      nic.forgetWaiting();
      nic.run(() -> {});
      List<Long> reported = nic.call(() -> reported());
      assertThat(reported).doesNotHaveDuplicates().hasSizeLessThanOrEqualTo(count);
    }
  }

  private List<Long> reported() {
    var failed = nic.failed.stream().map(TestNic.Failed::token);
    return Stream.concat(nic.written.stream(), failed).toList();
  }

  private static byte[] answer(Input in, int count) {
    var out = Unpooled.buffer();
    return FuzzHandshake.bytes(
        switch (in.below(4)) {
          case 0, 1 -> Wire.putAck(out, in.between(1, count));
          case 2 -> Wire.putNack(out, in.between(1, count), ErrorCode.BOUNDS.because("no"));
          default -> out.writeBytes(in.bytes(in.below(30)));
        });
  }
}
