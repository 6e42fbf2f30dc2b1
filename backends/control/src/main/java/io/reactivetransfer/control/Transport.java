package io.reactivetransfer.control;

import io.netty.channel.IoHandlerFactory;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.nio.NioIoHandler;
import org.jspecify.annotations.Nullable;

/** How the sockets of an engine are driven. */
public enum Transport {
  /**
   * The one that the system property {@value #PROPERTY} names, such as {@code nio}; without it
   * {@link #EPOLL} where it can be had, else {@link #NIO}.
   */
  AUTO,
  /** The JDK's selectors, everywhere. */
  NIO,
  /** Linux' epoll, by Netty's native library, which comes with reactor-netty for x86-64. */
  EPOLL;

  private static final String PROPERTY = "reactivetransfer.tcp.transport";

  /**
   * What drives a loop.
   *
   * @throws IllegalArgumentException if this is not to be had here; the text says why
   */
  IoHandlerFactory handlers() {
    return switch (this) {
      case AUTO -> automatic().handlers();
      case NIO -> NioIoHandler.newFactory();
      case EPOLL -> {
        requireNone(Epoll.unavailabilityCause());
        yield EpollIoHandler.newFactory();
      }
    };
  }

  private static Transport automatic() {
    String name = System.getProperty(PROPERTY);
    if (name == null) {
      return Epoll.isAvailable() ? EPOLL : NIO;
    }
    for (Transport transport : values()) {
      if (transport != AUTO && transport.name().equalsIgnoreCase(name)) {
        return transport;
      }
    }
    throw new IllegalArgumentException(
        "expected nio or epoll in the system property " + PROPERTY + ", got " + name);
  }

  private void requireNone(@Nullable Throwable cause) {
    if (cause != null) {
      throw new IllegalArgumentException(
          "expected a transport that this machine has, got " + this + ": " + cause.getMessage(),
          cause);
    }
  }
}
