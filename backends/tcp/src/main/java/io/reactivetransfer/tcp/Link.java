package io.reactivetransfer.tcp;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelConfig;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.epoll.EpollSocketChannelConfig;
import io.reactivetransfer.EngineId;
import io.reactivetransfer.control.socket.ErrorCode;
import io.reactivetransfer.control.socket.Failure;
import io.reactivetransfer.control.socket.ProtocolException;
import io.reactivetransfer.control.socket.ServerCertificate;
import io.reactivetransfer.control.socket.SocketConnection;
import io.reactivetransfer.spi.BackendException;
import io.reactivetransfer.spi.Operation;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * A connection between a NIC of this engine and one of another, whichever side has made it: carries
 * the writes of both, and what became of them. Takes no write before it is open, and while too much
 * waits to be sent.
 *
 * <p>Is read though nothing can be sent, or two that write to each other would wait for one
 * another: what there is to say of the writes of the other side is kept, and goes before what waits
 * of this side's. Is not read while the event queue is full, or when too many refusals wait to be
 * said.
 */
abstract class Link extends SocketConnection {

  /** What is not longer is copied into one buffer with others, and done with at once. */
  private static final int MAX_COPIED_BYTES = 4 << 10;

  /**
   * The same for what consists of rows, which is copied in any case: what fits into a batch, so
   * that it goes with one call.
   */
  private static final int MAX_COPIED_ROWS_BYTES = Outgoing.BATCH_BYTES - Wire.ROWS_BYTES;

  /** As long as it takes to copy that, nothing else happens on the loop. */
  private static final int MAX_COPIED_AT_ONCE = 256 << 10;

  /** A read of no more is one of a few short frames. */
  private static final int SHORT_READ_BYTES = 1_024;

  /** So many of them cost far more than the call that is made once for them. */
  private static final int SHORT_READS = 64;

  private final TcpDomain domain;
  private final SmallBuffers smallBuffers;

  /** What comes in has one of its own, or nothing could be said of it while more of it waits. */
  private final CopyTurn inTurn = new CopyTurn();

  private final CopyTurn outTurn = new CopyTurn();
  private final Runnable goOn = this::goOn;

  /** What has come in and was not taken, because others have their turn first; in order. */
  private final ArrayDeque<ByteBuf> kept = new ArrayDeque<>(0);

  private final InFlight inFlight = new InFlight(token -> failSourceGone(token, true));
  private final LongConsumer written;
  private final Outgoing outgoing;
  private final Incoming incoming;
  private final Settlements settlements = new Settlements();

  /** Why writes were given up of which a part was sent; by their tokens, until they are refused. */
  private final Map<Long, Failure> givenUp = new HashMap<>(0);

  private boolean sendDue;

  /** Whether others have their turn, and it goes on afterwards. */
  private boolean isPutOff;

  private boolean isTakingKept;

  /** Whether the other side has ended it, and only what was kept is still to be taken. */
  private boolean isReadToEnd;

  private int copiedBytes;
  private int shortReads;

  // The frame that is coming in.
  private int frameType;
  private long refusedNumber;
  private int code;

  @SuppressWarnings("this-escape") // nothing is called before bytes come
  Link(TcpDomain domain) {
    super(domain.loop().eventLoop());
    this.domain = domain;
    this.smallBuffers = domain.loop().smallBuffers();
    this.written = domain.events()::written;
    this.outgoing = new Outgoing(smallBuffers, outTurn);
    this.incoming = new Incoming(this, domain, reader(), inTurn);
  }

  /** What the accepting side has shown under TLS, whose handshake is over by then. */
  final byte[] shownCertificate() {
    return ServerCertificate.hashOf(context().pipeline());
  }

  /** Between which NICs; null before the other side is known. */
  abstract @Nullable Path path();

  /** What names it to both sides. */
  abstract long connection();

  /** The length of the rest of a frame of the handshake that has this head. */
  abstract int handshakeBody(ByteBuffer head);

  /** That rest. */
  abstract void handshake(byte[] body);

  /** The frame that tells the other side why it is not welcome, or does not welcome this one. */
  abstract ByteBuf rejection(Failure why);

  final TcpDomain domain() {
    return domain;
  }

  final boolean isOpen() {
    return phase() == Phase.OPEN;
  }

  /** The other side's engine. */
  final EngineId engine() {
    Path path = path();
    if (path == null) {
      throw new IllegalStateException("expected the hello before");
    }
    return path.key().engine();
  }

  /** The handshake is done. */
  final void open() {
    enter(Phase.OPEN);
    domain.loop().links().began(engine(), this);
  }

  // What goes out.

  /** Takes a write over; false if it has no room. */
  final boolean post(TcpMemory source, TcpRemoteMemory target, Operation op) {
    if (!hasRoom()) {
      return false;
    }
    if (!source.isAlive()) {
      failSourceGone(op.token(), false);
      return true;
    }
    if (isCopiedAtOnce(source, op)) {
      if (source.isCopied() && outTurn.isOver()) {
        putOff(); // who posts comes again when there is room
        return false;
      }
      postCopy(source, target, op);
    } else {
      postLong(source, target, op);
    }
    sendSoon(true);
    return true;
  }

  private static boolean isCopiedAtOnce(TcpMemory source, Operation op) {
    if (source.isCopied()) {
      return op.length() <= MAX_COPIED_BYTES && isWithoutGaps(op);
    }
    return op.length() <= MAX_COPIED_BYTES
        || (op.rows() > 1 && op.length() <= MAX_COPIED_ROWS_BYTES);
  }

  /** Whether the source's bytes are one range. */
  private static boolean isWithoutGaps(Operation op) {
    return op.rows() == 1 || (!op.isGathered() && op.localStride() == op.rowLength());
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

  private void postCopy(TcpMemory source, TcpRemoteMemory target, Operation op) {
    ByteBuf out = batch(Wire.headBytes(op) + (int) op.length());
    int before = out.writerIndex();
    try {
      Wire.putWrite(out, target.key(), op);
      copyRows(source, op, out);
      inFlight.add(op.token(), null);
    } catch (IllegalStateException | InternalError e) { // it was freed, or its file was cut off
      out.writerIndex(before);
      failSourceGone(op.token(), false);
    } catch (BackendException e) {
      out.writerIndex(before);
      failCopy(op.token(), e);
    }
  }

  private void copyRows(TcpMemory source, Operation op, ByteBuf out) {
    if (source.isCopied()) {
      outTurn.waited();
    }
    if (isWithoutGaps(op)) {
      source.copyTo(out, op.localOffset(), (int) op.length());
      return;
    }
    int rowLength = (int) op.rowLength();
    for (int row = 0; row < op.rows(); row++) {
      source.copyTo(out, op.localOffset(row), rowLength);
    }
  }

  private void postLong(TcpMemory source, TcpRemoteMemory target, Operation op) {
    LongWrite write = outgoing.newWrite();
    try {
      inFlight.add(op.token(), write.begin(source, target, op, context().alloc()));
    } catch (BackendException e) {
      failCopy(op.token(), e);
      return;
    }
    outgoing.add(write);
  }

  /** An accelerator does not give the bytes, of which none were sent. */
  private void failCopy(long token, BackendException reason) {
    domain.events().add(new Event.Failed(token, unreadable(reason), true));
  }

  private static Failure unreadable(BackendException reason) {
    return ErrorCode.MEMORY_GONE.because("the source could not be read: " + reason.getMessage());
  }

  private boolean hasRoom() {
    return isOpen() && !isBroken() && !isReadToEnd && !outgoing.isFull();
  }

  /** Whether the socket takes something. */
  private boolean isWritable() {
    return isOpen() && !isBroken() && context().channel().isWritable();
  }

  /** How many bytes of this side's writes wait for that. */
  final long waitingBytes() {
    return outgoing.bytes();
  }

  /** Whether a write of this side is not settled. */
  final boolean hasInFlight() {
    return inFlight.hasAny();
  }

  /** A write of so many bytes comes in, of which there will be something to say. */
  final void comesIn(long length) {
    outgoing.hurry(length);
  }

  /** The next write in order was reported. */
  final void settle() {
    settlements.settle();
    sendSoon(false);
  }

  /** The next write in order did not come in. */
  final void refuse(Failure why) {
    settlements.refuse(why);
    sendSoon(false);
  }

  private void sayWhatIsSettled() {
    boolean wasFull = settlements.isFull();
    boolean isSaidInBatch = false;
    while (settlements.hasNews() && isWritable()) {
      int bytes = settlements.nextBytes();
      ByteBuf together = outgoing.shortBatch(bytes); // one buffer costs the socket less than two
      if (together != null) {
        settlements.putNext(together);
        isSaidInBatch = true;
      } else if (isSaidInBatch) {
        break; // it would overtake what is in the batch, which is given next
      } else {
        ByteBuf out = frame(bytes);
        settlements.putNext(out);
        write(out);
      }
    }
    if (wasFull) {
      readOn();
    }
  }

  /** Tells the other side that another connection, with this number, is over; before all else. */
  final void sayOver(long number) {
    if (isOpen() && !isBroken()) {
      Wire.putOver(batch(Wire.OVER_BYTES), number);
      sendSoon(true);
    }
  }

  private void sendSoon(boolean someoneWaits) {
    domain.turnEnd().send(sendDue ? null : this, someoneWaits);
    sendDue = true;
  }

  /** Sends what was written, and what there is to say of the other side's writes. */
  final void sendAll() {
    sendDue = false;
    if (!isPutOff) {
      copiedBytes = 0;
    }
    sendOn();
  }

  /**
   * Gives the socket what waits, as long as it takes it; and always first what there is to say of
   * the other side's writes.
   */
  private void sendOn() {
    while (isWritable() && (settlements.hasNews() || !outgoing.isEmpty())) {
      if (copiedBytes >= MAX_COPIED_AT_ONCE || outTurn.isOver()) {
        putOff();
        return;
      }
      sayWhatIsSettled();
      try {
        copiedBytes += outgoing.give(context());
      } catch (BackendException e) {
        if (outgoing.isNextUnsent()) {
          long token = outgoing.withdraw();
          inFlight.withdraw(token);
          failCopy(token, e);
        } else {
          givenUp.put(outgoing.giveUp(context()), unreadable(e));
        }
        copiedBytes += Wire.FIRST_PART_BYTES; // to be refused takes its time, too
      }
      context().flush(); // when the socket has taken it, this is called again from there
    }
    Path path = path();
    if (path != null && isOpen() && outgoing.hasRoom()) {
      path.offerRoom();
    }
  }

  /** Others have their turn, and the sockets are asked, before this goes on. */
  private void putOff() {
    if (!isPutOff) {
      isPutOff = true;
      domain.loop().executeAfterSockets(goOn);
    }
  }

  private void goOn() {
    isPutOff = false;
    inTurn.renew();
    outTurn.renew();
    copiedBytes = 0;
    try {
      takeKept();
      sendOn();
      if (isReadToEnd && kept.isEmpty()) {
        super.readToEnd();
      }
    } catch (RuntimeException | Error e) { // else nobody hears of it
      exceptionCaught(context(), e);
    }
  }

  /** An empty buffer for a frame of so many bytes. */
  final ByteBuf frame(int bytes) {
    return smallBuffers.take(context().alloc(), bytes);
  }

  private ByteBuf batch(int bytes) {
    return outgoing.batch(context(), bytes);
  }

  /** Writes, and sends all that was written; what is settled goes before, whoever has his turn. */
  final void send(ByteBuf out) {
    outTurn.renew();
    copiedBytes = 0;
    sendOn();
    write(out);
    context().flush();
  }

  private void write(ByteBuf out) {
    var _ = context().write(out, context().voidPromise());
  }

  @Override
  public final void channelWritabilityChanged(ChannelHandlerContext ctx) {
    sendOn();
  }

  // What comes in.

  @Override
  protected final void beginToRead() {
    ChannelConfig config = context().channel().config();
    if (!domain.loop().encrypts()) { // else what is read is kept until it can be decrypted
      config.setRecvByteBufAllocator(
          new DirectRead(config.getRecvByteBufAllocator(), this::destination, this::mostReads));
    }
    super.beginToRead();
  }

  private @Nullable ByteBuf destination() {
    ByteBuf direct = kept.isEmpty() ? incoming.destination() : null;
    return direct == null ? smallBuffers.toRead() : direct;
  }

  private int mostReads() {
    return isOpen() ? domain.turnEnd().mostReads() : 1;
  }

  @Override
  protected final void take(ByteBuf in) {
    if (in.readableBytes() <= SHORT_READ_BYTES && shortReads++ % SHORT_READS == 0) {
      holdAcknowledgementsBack();
    }
    if (!kept.isEmpty() && !isTakingKept) {
      kept.addLast(in.retain());
      return;
    }
    if (incoming.isThere(in)) {
      return;
    }
    super.take(in);
    if (in.isReadable() && phase() != Phase.ENDED) {
      kept.addFirst(in.retain());
    }
  }

  /** Whether something was read that waits for its turn. */
  final boolean keepsAny() {
    return !kept.isEmpty();
  }

  /** Takes what was kept, as far as others need not have their turn before. */
  private void takeKept() {
    if (kept.isEmpty()) {
      return;
    }
    isTakingKept = true;
    try {
      for (ByteBuf in; !inTurn.isOver() && (in = kept.poll()) != null; ) {
        channelRead(context(), in);
      }
    } finally {
      isTakingKept = false;
    }
    readOn();
  }

  /**
   * Has the system acknowledge every second short segment, instead of each one at once by a segment
   * of its own: that takes as long as the read. It does so by itself where the answer goes back on
   * the same connection; here it may go on another one. Not for good: it forgets it when an
   * acknowledgement was late once.
   */
  private void holdAcknowledgementsBack() {
    if (context().channel().config() instanceof EpollSocketChannelConfig config) {
      config.setTcpQuickAck(false);
    }
  }

  @Override
  protected final void afterRead() {
    if (!kept.isEmpty()) {
      context().channel().config().setAutoRead(false);
      putOff();
    } else if (domain.events().isFull() || settlements.isFull()) {
      context().channel().config().setAutoRead(false);
      readOn();
    }
  }

  /** Has it read if it may, or when there is room for more events. */
  final void readOn() {
    if (phase() == Phase.ENDED
        || settlements.isFull()
        || !kept.isEmpty()
        || !context().channel().isActive()) {
      return;
    }
    if (domain.events().isFull()) {
      domain.events().awaitRoom(this);
    } else {
      context().channel().config().setAutoRead(true);
    }
  }

  @Override
  public final int headBytes(int firstByte) {
    if (phase() == Phase.HANDSHAKE) {
      return Handshake.HEAD_BYTES;
    }
    return switch (firstByte) {
      case Wire.WRITE -> Wire.WRITE_BYTES;
      case Wire.ACK -> Wire.ACK_BYTES;
      case Wire.NACK -> Wire.NACK_BYTES;
      case Wire.OVER -> Wire.OVER_BYTES;
      case Wire.MORE -> Wire.MORE_BYTES;
      case Wire.ROWS -> Wire.ROWS_BYTES;
      case Wire.GOODBYE -> Wire.GOODBYE_BYTES;
      default -> throw new ProtocolException("expected a frame, got one of type " + firstByte);
    };
  }

  @Override
  public final void head(ByteBuffer head) {
    if (phase() == Phase.HANDSHAKE) {
      reader().collect(handshakeBody(head));
      return;
    }
    frameType = head.get();
    switch (frameType) {
      case Wire.WRITE, Wire.ROWS -> incoming.head(head, frameType == Wire.ROWS);
      case Wire.MORE -> incoming.more(head.getInt());
      case Wire.ACK ->
          inFlight.settleUpTo(head.getLong(), givenUp.isEmpty() ? written : this::written);
      case Wire.OVER -> domain.loop().links().isOver(engine(), head.getLong());
      default -> {
        refusedNumber = frameType == Wire.NACK ? head.getLong() : 0;
        code = Short.toUnsignedInt(head.getShort());
        reader().collect(Wire.textLength(Short.toUnsignedInt(head.getShort())));
      }
    }
  }

  @Override
  public final void collected(byte[] body) {
    if (phase() == Phase.HANDSHAKE) {
      handshake(body);
    } else if (frameType == Wire.NACK) {
      long token = inFlight.refuse(refusedNumber);
      Failure ours = givenUp.remove(token);
      Failure why = ours == null ? new Failure(code, where() + ": " + Wire.text(body)) : ours;
      boolean mayCome = code == ErrorCode.UNKNOWN_END.value;
      domain.events().add(new Event.Failed(token, why, !mayCome));
    } else {
      end(new Failure(code, where() + " closed the connection: " + Wire.text(body)));
    }
  }

  /** The other side says that a write has come in. It cannot have, if this one gave it up. */
  private void written(long token) {
    Failure ours = givenUp.remove(token);
    if (ours == null) {
      written.accept(token);
      return;
    }
    domain.events().add(new Event.Failed(token, ours, false)); // it is settled: nobody else tells
    throw new ProtocolException("expected it to refuse a write that was given up, got an ACK");
  }

  @Override
  public final void streamed(ByteBuf in, int length) {
    incoming.streamed(in, length);
  }

  @Override
  public final void streamEnded() {
    incoming.streamEnded();
  }

  // The end.

  /** What was kept is taken before, in turns: it may say what became of writes, and why it ends. */
  @Override
  protected final void readToEnd() {
    if (kept.isEmpty()) {
      super.readToEnd();
    } else {
      isReadToEnd = true; // it ends when the last of that was taken
    }
  }

  /**
   * Ends the connection because this side has no more to do with the other one, which is told so if
   * it can be.
   *
   * @param farewell why, as the other side is to read it
   */
  final void endWith(Failure why, Failure farewell) {
    if (isOpen()) {
      send(goodbye(farewell));
    }
    end(why);
  }

  /**
   * Ends the connection because this side closes: the other one is told, nobody on this side is.
   */
  final void close(Failure why) {
    if (isOpen()) {
      send(goodbye(why));
    }
    shut();
  }

  @Override
  protected final void sayWhy(Failure why) {
    send(isOpen() ? goodbye(why) : rejection(why));
  }

  final ByteBuf goodbye(Failure why) {
    return Wire.putGoodbye(frame(Wire.GOODBYE_BYTES + Wire.MAX_TEXT_BYTES), why);
  }

  /** What was freed cannot be sent, and on this connection nothing else can come in its place. */
  @Override
  protected final Failure broken(Throwable cause) {
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
    outgoing.release();
    incoming.release();
    for (ByteBuf each; (each = kept.poll()) != null; ) {
      each.release();
    }
    Path path = path();
    if (path != null) {
      domain.loop().links().ended(path.key().engine(), this);
    }
    return first;
  }

  @Override
  protected void onEnd(Failure why) {
    Path path = path();
    if (path == null) {
      return;
    }
    boolean isOurs = isDialled() || inFlight.hasSent();
    if (isOurs && why.code() != ErrorCode.CLOSED.value) {
      domain.loop().links().broke(engine(), connection());
    }
    if (path.isLostWith(this, isOurs)) {
      domain.events().add(new Event.Lost(engine(), why));
    }
    inFlight.drain(token -> domain.events().add(new Event.Failed(token, why, false)));
    path.ended(this, isOurs);
  }

  /** Whether this side has made it. */
  abstract boolean isDialled();
}
