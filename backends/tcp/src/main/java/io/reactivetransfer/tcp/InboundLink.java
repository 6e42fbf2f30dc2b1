package io.reactivetransfer.tcp;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.socket.SocketChannel;
import io.reactivetransfer.EngineId;
import io.reactivetransfer.control.socket.ErrorCode;
import io.reactivetransfer.control.socket.Failure;
import io.reactivetransfer.control.socket.ProtocolException;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;
import reactor.util.Logger;
import reactor.util.Loggers;

/**
 * A connection that another engine made: takes its writes in, and settles the writes in their
 * order. A write is settled in the poll that reports it, so that one whose memory is revoked before
 * then is still refused, and so that an engine that does not poll does not acknowledge.
 *
 * <p>Stops reading while the event queue is full, or while the origin does not take its
 * acknowledgements.
 */
final class InboundLink extends Link {

  /** Less than this is cheaper to copy out of a buffer that holds more than one write. */
  private static final int MIN_DIRECT_BYTES = 64 << 10;

  /** So that others have their turn. */
  private static final int MAX_DIRECT_BYTES = 1 << 20;

  private static final Logger LOG = Loggers.getLogger(InboundLink.class);

  private final TcpDomain domain;
  private final TargetHandshake handshake;
  private @Nullable EngineId origin;
  private int nicIndex;
  private int frameType;
  private long settled;
  private long connection;
  private boolean ackDue;

  // The write that is coming in.
  private @Nullable TcpMemory memory;
  private @Nullable Failure refusal;
  private boolean hasImm;
  private int imm;
  private long position;

  /** Whether the last write was long: then the next one may be, too. */
  private boolean wasLong;

  /** What the socket was last told to read into, if it is the memory of that write. */
  private @Nullable ByteBuf direct;

  InboundLink(TcpDomain domain) {
    super(domain.loop());
    this.domain = domain;
    this.handshake = new TargetHandshake(domain.authentication(), domain.engine());
  }

  /** Someone has connected; with TLS, there is a handshake of that before ours. */
  void takeOver(SocketChannel channel) {
    handle(channel);
    begin(channel.remoteAddress().getAddress());
  }

  /** Ends at once if too many have come from this address; or when the handshake takes too long. */
  void begin(InetAddress from) {
    Failure refusedBecause = domain.admit(this, from);
    if (refusedBecause != null) {
      LOG.debug("a connection from {} was turned away: {}", from, refusedBecause.text());
      shut();
      return;
    }
    openWithin(
        domain.connectNanos(),
        () -> end(ErrorCode.TIMEOUT.because("no complete handshake in time from " + where())));
  }

  @Override
  public void channelActive(ChannelHandlerContext ctx) {
    if (phase() == Phase.ENDED) {
      return;
    }
    enter(Phase.HANDSHAKE);
    ctx.fireChannelActive();
    beginToRead();
  }

  @Override
  public void channelWritabilityChanged(ChannelHandlerContext ctx) {
    readOn();
  }

  @Override
  protected void afterRead() {
    if (domain.events().isFull()) {
      context().channel().config().setAutoRead(false);
      domain.events().awaitRoom(this);
    }
  }

  /** Reads, unless the origin does not. */
  void readOn() {
    if (phase() != Phase.ENDED && !domain.events().isFull()) {
      context().channel().config().setAutoRead(context().channel().isWritable());
    }
  }

  @Override
  public int headBytes(int firstByte) {
    if (phase() == Phase.HANDSHAKE) {
      return Handshake.HEAD_BYTES;
    }
    return switch (firstByte) {
      case Wire.WRITE -> Wire.WRITE_BYTES;
      case Wire.OVER -> Wire.OVER_BYTES;
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
      case Wire.WRITE -> writeHead(head);
      case Wire.OVER -> domain.loop().origins().isOver(requireOrigin(), head.getLong());
      default -> goodbyeHead(head);
    }
  }

  @Override
  public void collected(byte[] body) {
    if (phase() == Phase.HANDSHAKE) {
      reply(handshake.reply(body));
    } else {
      goodbyeText(body);
    }
  }

  private void reply(Handshake.Reply reply) {
    ByteBuf out = frame(Handshake.MAX_BYTES);
    switch (reply) {
      case Handshake.Challenge challenge -> send(Handshake.putChallenge(out, challenge));
      case Handshake.Refusal(Failure why) -> {
        send(Handshake.putRefusal(out, why));
        end(why);
      }
      case Handshake.Welcome welcome -> {
        send(Handshake.putWelcome(out, welcome));
        if (phase() != Phase.ENDED) {
          open(handshake.hello());
        }
      }
    }
  }

  private void open(Handshake.Hello hello) {
    origin = hello.origin();
    nicIndex = hello.nicIndex();
    connection = hello.connection();
    enter(Phase.OPEN);
    domain.opened(this);
    domain.loop().origins().began(hello.origin(), this);
  }

  private void writeHead(ByteBuffer head) {
    int flags = head.get();
    if ((flags & ~Wire.HAS_IMM) != 0) {
      throw new ProtocolException("expected a write with flags 0 or 1, got " + (flags & 0xff));
    }
    hasImm = (flags & Wire.HAS_IMM) != 0;
    imm = head.getInt();
    if (!hasImm && imm != 0) {
      throw new ProtocolException(
          "expected 0 as immediate of a write with flags 0, got " + Integer.toUnsignedString(imm));
    }
    memory = domain.registrations().find(head.getLong(), head.getLong());
    position = head.getLong();
    long length = head.getLong();
    if (length < 0 || length > Wire.MAX_WRITE_BYTES) {
      throw new ProtocolException(
          "expected a write of at most "
              + Wire.MAX_WRITE_BYTES
              + " bytes, got "
              + Long.toUnsignedString(length));
    }
    refusal = Registrations.refusal(memory, position, length);
    wasLong = length >= MIN_DIRECT_BYTES;
    reader().stream(length);
  }

  /**
   * What the socket is to read into next: the memory of the write that is coming in; or a buffer
   * for one head, so that what follows it can go straight to its memory; or any buffer.
   */
  @Override
  @Nullable ByteBuf destination() {
    direct = null;
    if (wasLong && reader().isBetweenFrames()) {
      return frame(Wire.WRITE_BYTES);
    }
    long left = reader().toStream();
    TcpMemory into = left < MIN_DIRECT_BYTES ? null : writable();
    direct = into == null ? null : into.sink(position, (int) Math.min(left, MAX_DIRECT_BYTES));
    return direct == null ? super.destination() : direct;
  }

  @Override
  @SuppressWarnings("ReferenceEquality") // the same buffer, not one with the same bytes
  protected void take(ByteBuf in) {
    if (in == direct) {
      direct = null;
      position += in.readableBytes();
      reader().skip(in.readableBytes());
    } else {
      super.take(in);
    }
  }

  @Override
  public void streamed(ByteBuf in, int length) {
    TcpMemory into = writable();
    if (into == null) {
      in.skipBytes(length);
      return;
    }
    int before = in.readerIndex();
    try {
      into.fill(position, in, length);
      position += length;
    } catch (IllegalStateException e) {
      refusal = memoryGone();
      in.readerIndex(before + length);
    }
  }

  /** Where the present write goes, or null if its bytes are to be dropped. */
  private @Nullable TcpMemory writable() {
    if (refusal == null && memory != null && !memory.isOpen()) {
      refusal = revoked();
    }
    if (refusal == null && memory != null && !memory.isAlive()) {
      refusal = memoryGone();
    }
    return refusal == null ? memory : null;
  }

  @Override
  public void streamEnded() {
    TcpMemory into = writable();
    if (into != null) {
      domain.events().landed(this, into, hasImm, imm);
    } else if (refusal != null) {
      domain.events().add(new Event.Refused(this, refusal));
    }
    memory = null;
    refusal = null;
  }

  /** The next write in order was reported. */
  void settle() {
    settled++;
    if (!ackDue) {
      ackDue = true;
      domain.turnEnd().acknowledge(this);
    }
  }

  /** The next write in order did not come in. */
  void refuse(Failure why) {
    acknowledge();
    settled++;
    if (phase() == Phase.OPEN) {
      send(Wire.putNack(frame(Wire.NACK_BYTES + Wire.MAX_TEXT_BYTES), settled, why));
    }
  }

  /** Tells the origin what is settled, if it does not know. */
  void acknowledge() {
    if (ackDue && phase() == Phase.OPEN) {
      send(Wire.putAck(frame(Wire.ACK_BYTES), settled));
    }
    ackDue = false;
  }

  static Failure revoked() {
    return ErrorCode.REVOKED.because(
        "the target revoked or deregistered the memory while the write was under way");
  }

  /**
   * Its arena was closed although it is registered: the application's mistake, not the origin's.
   */
  static Failure memoryGone() {
    return ErrorCode.MEMORY_GONE.because(
        "the target's memory was freed although it is registered; close its region first");
  }

  @Override
  ByteBuf rejection(Failure why) {
    return phase() == Phase.HANDSHAKE
        ? Handshake.putRefusal(frame(Handshake.MAX_BYTES), why)
        : goodbye(why);
  }

  @Override
  protected void onEnd(Failure why) {
    domain.inboundEnded(this);
    if (origin != null) {
      domain.loop().origins().ended(origin, this);
    }
  }

  /** What names it to its engine. */
  long connection() {
    return connection;
  }

  /** Whether it leads from a NIC with this index to that domain. */
  boolean isBetween(int origin, TcpDomain target) {
    return nicIndex == origin && domain == target;
  }

  /** Whether an origin that has made this connection has no more use for that one. */
  boolean replaces(InboundLink other) {
    return domain == other.domain && nicIndex == other.nicIndex;
  }

  @Override
  public String where() {
    String address = String.valueOf(context().channel().remoteAddress());
    return origin == null
        ? "the unknown peer at " + address
        : "NIC " + nicIndex + " of engine " + origin.toShortString() + " at " + address;
  }

  EngineId requireOrigin() {
    if (origin == null) {
      throw new IllegalStateException("expected the hello before a message");
    }
    return origin;
  }
}
