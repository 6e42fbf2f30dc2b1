package io.reactivetransfer.control;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import io.netty.util.ReferenceCountUtil;
import io.reactivetransfer.spi.EngineIdentity;
import java.io.IOException;
import org.junit.jupiter.api.Test;

/** A dial was welcomed, but its first frame cannot be sent any more. */
class BrokenDialTest {

  /** What every write gets once the other side has reset the connection. */
  private static final class Reset extends ChannelOutboundHandlerAdapter {
    @Override
    public void write(ChannelHandlerContext ctx, Object msg, ChannelPromise promise) {
      ReferenceCountUtil.release(msg);
      promise.tryFailure(new IOException("Connection reset by peer"));
    }
  }

  private final Lab lab = new Lab(EngineIdentity.draw(), EngineIdentity.draw());

  private void breakAfterTheWelcome() {
    lab.settle();
    Lab.Wire wire = lab.wires.getFirst();
    wire.deliverToFar(); // the proof
    wire.near.pipeline().addFirst(new Reset());
    wire.deliverToNear(); // the welcome
    assertThat(wire.near.isOpen()).isFalse();
  }

  @Test
  void isOneLoss() {
    lab.one.send("not taken");
    breakAfterTheWelcome();
    assertThat(lab.one.log).singleElement().asString().startsWith("lost: the connection with");
  }

  @Test
  void isNobodyFoundAndNobodyLost() {
    lab.one.find(1);
    breakAfterTheWelcome();
    assertThat(lab.one.log).singleElement().asString().startsWith("not found 1: the connection");
  }
}
