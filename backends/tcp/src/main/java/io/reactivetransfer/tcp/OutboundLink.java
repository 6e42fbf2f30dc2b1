package io.reactivetransfer.tcp;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOption;
import io.reactivetransfer.control.socket.ErrorCode;
import io.reactivetransfer.control.socket.Failure;
import io.reactivetransfer.control.socket.ProtocolException;
import io.reactivetransfer.spi.PostResult;
import io.reactivetransfer.spi.WriteOp;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;
import reactor.core.Disposable;
import reactor.netty.tcp.TcpClient;

/**
 * The connection to one NIC of another engine: carries the writes there, and brings back what
 * became of the writes. Made by the first post; refuses until the handshake is done, and while its
 * outbound buffer is full. Once ended it refuses for a short while, and then gives way to a new
 * one.
 */
final class OutboundLink extends Link {

  /** What is not longer is copied into one buffer with others, and done with at once. */
  private static final int MAX_COPIED_BYTES = 4 << 10;

  private static final int BATCH_BYTES = 64 << 10;

  private static final int MIN_BATCH_BYTES = 256;

  private final TcpDomain domain;
  private final TcpPeer.Key peer;
  private final InFlight inFlight = new InFlight(token -> failSourceGone(token, true));
  private final OriginHandshake handshake;
  private final LongConsumer settled;
  private @Nullable Disposable connecting;
  private @Nullable ByteBuf batch;

  /** As much as the last one had in it: what waits for a slow peer is not mostly empty. */
  private int batchBytes = MIN_BATCH_BYTES;

  private boolean gone;
  private boolean refused;
  private boolean flushDue;

  // The frame that is coming in.
  private int frameType;
  private long refusedNumber;
  private int refusedCode;

  OutboundLink(TcpDomain domain, TcpPeer.Key peer) {
    super(domain.loop());
    this.domain = domain;
    this.peer = peer;
    this.settled = domain.events()::written;
    this.handshake =
        new OriginHandshake(
            domain.authentication(),
            new Handshake.Hello(
                domain.engine(),
                peer.engine(),
                domain.nicIndex(),
                domain.authentication().newNonce()));
  }

  void connect() {
    openWithin(domain.connectNanos(), () -> outOfTime(domain.connectMillis()));
    InetSocketAddress remote = peer.address().toSocketAddress();
    TcpClient client =
        domain
            .loop()
            .client()
            .remoteAddress(() -> remote)
            .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, domain.connectMillis())
            .doOnChannelInit((_, channel, _) -> handle(channel));
    InetSocketAddress local = domain.outgoingAddress(remote);
    Disposable subscription =
        (local == null ? client : client.bindAddress(() -> local))
            .connect()
            .subscribe(_ -> {}, this::cannotConnect);
    if (phase() == Phase.ENDED) {
      subscription.dispose();
    } else {
      connecting = subscription;
    }
  }

  TcpPeer.Key peer() {
    return peer;
  }

  /** Whether another connection may take its place. */
  boolean isGone() {
    return gone;
  }

  void giveWay() {
    gone = true;
    ringIfRefused();
  }

  PostResult post(TcpMemory source, TcpRemoteMemory target, WriteOp op) {
    if (!takes()) {
      return PostResult.PEER_BUSY;
    }
    if (!source.isAlive()) {
      failSourceGone(op.token(), false);
      return PostResult.TAKEN;
    }
    if (op.length() <= MAX_COPIED_BYTES) {
      postCopy(source, target, op);
    } else {
      MemoryView payload = source.source(op.sourceOffset(), (int) op.length());
      write(putHead(frame(Wire.WRITE_BYTES), target, op));
      inFlight.add(op.token(), payload);
      write(payload);
    }
    flushSoon();
    return PostResult.TAKEN;
  }

  /**
   * Its arena was closed although it is registered: the application's mistake.
   *
   * @param sent whether some of it was, so that the target may have taken it for a whole write
   */
  private void failSourceGone(long token, boolean sent) {
    Failure why =
        ErrorCode.MEMORY_GONE.because(
            "the source's memory was freed, or the file that it maps was cut off, before the write"
                + " was done; close its region first");
    domain.events().add(new Event.Failed(token, why, !sent));
  }

  private void postCopy(TcpMemory source, TcpRemoteMemory target, WriteOp op) {
    int length = (int) op.length();
    ByteBuf out = batch(Wire.WRITE_BYTES + length);
    int before = out.writerIndex();
    try {
      putHead(out, target, op);
      source.copyTo(out, op.sourceOffset(), length);
      inFlight.add(op.token(), null);
    } catch (IllegalStateException | InternalError e) { // it was freed, or its file was cut off
      out.writerIndex(before);
      failSourceGone(op.token(), false);
    }
  }

  private static ByteBuf putHead(ByteBuf out, TcpRemoteMemory target, WriteOp op) {
    return Wire.putWrite(out, op.hasImm(), op.imm(), target.key(), op.targetOffset(), op.length());
  }

  /** A buffer with room for so many bytes more, which is sent before anything else. */
  private ByteBuf batch(int bytes) {
    ByteBuf open = batch;
    if (open != null && open.maxWritableBytes() < bytes) {
      endBatch();
      batchBytes = BATCH_BYTES; // there is more than expected
      open = null;
    }
    if (open == null) {
      open = newBatch(Math.max(bytes, batchBytes));
      batch = open;
    }
    return open.ensureWritable(bytes);
  }

  private ByteBuf newBatch(int bytes) {
    ByteBuf small = domain.loop().smallBuffers().toBatch(bytes);
    return small == null ? context().alloc().directBuffer(bytes, BATCH_BYTES) : small;
  }

  private void endBatch() {
    ByteBuf full = batch;
    if (full != null) {
      batch = null;
      batchBytes = Math.max(MIN_BATCH_BYTES, full.readableBytes());
      super.write(full);
    }
  }

  @Override
  void write(ByteBuf out) {
    endBatch();
    super.write(out);
  }

  /** Tells the target that another connection, with this number, is over; before anything else. */
  void sayOver(long number) {
    if (phase() == Phase.OPEN && !isBroken()) {
      Wire.putOver(batch(Wire.OVER_BYTES), number);
      flushSoon();
    }
  }

  /** What names it to its target. */
  long connection() {
    return handshake.hello().connection();
  }

  void flush() {
    flushDue = false;
    if (phase() == Phase.OPEN) {
      endBatch();
      context().flush();
    }
  }

  private boolean takes() {
    boolean takes = phase() == Phase.OPEN && !isBroken() && context().channel().isWritable();
    refused |= !takes;
    return takes;
  }

  private void flushSoon() {
    if (!flushDue) {
      flushDue = true;
      domain.turnEnd().flush(this);
    }
  }

  private void ringIfRefused() {
    if (refused) {
      refused = false;
      domain.doorbell().ring();
    }
  }

  @Override
  public void channelActive(ChannelHandlerContext ctx) {
    if (phase() == Phase.ENDED) {
      var _ = ctx.close();
      return;
    }
    enter(Phase.HANDSHAKE);
    send(Handshake.putHello(frame(Handshake.MAX_BYTES), handshake.hello()));
    ctx.fireChannelActive();
    beginToRead();
  }

  @Override
  public void channelWritabilityChanged(ChannelHandlerContext ctx) {
    if (ctx.channel().isWritable()) {
      ringIfRefused();
    }
  }

  @Override
  public int headBytes(int firstByte) {
    if (phase() == Phase.HANDSHAKE) {
      return Handshake.HEAD_BYTES;
    }
    return switch (firstByte) {
      case Wire.ACK -> Wire.ACK_BYTES;
      case Wire.NACK -> Wire.NACK_BYTES;
      case Wire.GOODBYE -> Wire.GOODBYE_BYTES;
      default -> throw new ProtocolException("expected a frame, got one of type " + firstByte);
    };
  }

  @Override
  public void head(ByteBuffer head) {
    if (phase() == Phase.HANDSHAKE) {
      reader().collect(handshake.bodyOf(head));
      return;
    }
    frameType = head.get();
    switch (frameType) {
      case Wire.ACK -> inFlight.settleUpTo(head.getLong(), settled);
      case Wire.NACK -> {
        refusedNumber = head.getLong();
        refusedCode = Short.toUnsignedInt(head.getShort());
        reader().collect(Wire.textLength(Short.toUnsignedInt(head.getShort())));
      }
      default -> goodbyeHead(head);
    }
  }

  @Override
  public void collected(byte[] body) {
    if (phase() == Phase.HANDSHAKE) {
      replied(handshake.reply(body));
    } else if (frameType == Wire.NACK) {
      Failure why = new Failure(refusedCode, where() + ": " + Wire.text(body));
      domain.events().add(new Event.Failed(inFlight.refuse(refusedNumber), why, true));
    } else {
      goodbyeText(body);
    }
  }

  private void replied(Handshake.Reply reply) {
    switch (reply) {
      case Handshake.Refusal(Failure why) ->
          end(new Failure(why.code(), where() + " refused the connection: " + why.text()));
      case Handshake.Challenge challenge -> {
        byte[] proof = handshake.prove(challenge);
        send(Handshake.putProof(frame(Handshake.MAX_BYTES), proof));
      }
      case Handshake.Welcome welcome -> {
        handshake.check(welcome);
        enter(Phase.OPEN);
        domain.loop().outgoing().began(handshake.hello().connection(), this);
        ringIfRefused();
      }
    }
  }

  /** What was freed cannot be sent, and on this connection nothing else can come in its place. */
  @Override
  protected Failure broken(Throwable cause) {
    return inFlight.hasGone()
        ? ErrorCode.MEMORY_GONE.because(
            "the source's memory of a write to "
                + where()
                + " was freed while it was sent, which ends the connection; close its region first")
        : super.broken(cause);
  }

  @Override
  public boolean shut() {
    boolean first = super.shut();
    domain.loop().outgoing().ended(handshake.hello().connection());
    if (batch != null) {
      batch.release();
      batch = null;
    }
    if (connecting != null) {
      connecting.dispose();
    }
    return first;
  }

  @Override
  ByteBuf rejection(Failure why) {
    return goodbye(why);
  }

  @Override
  protected void onEnd(Failure why) {
    domain.outboundEnded(this, why);
    inFlight.drain(token -> domain.events().add(new Event.Failed(token, why, false)));
  }

  @Override
  public String where() {
    return "engine " + peer.engine().toShortString() + " at " + peer.address();
  }
}
