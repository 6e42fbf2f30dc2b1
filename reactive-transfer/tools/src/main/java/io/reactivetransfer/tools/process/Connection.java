package io.reactivetransfer.tools.process;

import java.io.Closeable;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Objects;
import java.util.Set;
import jdk.net.ExtendedSocketOptions;

/**
 * A tool on another host, over TCP. Both sides say first who they are, so that only equal ones
 * measure each other. Nothing of it is secret or authenticated: it is for networks that one trusts.
 */
public final class Connection implements Closeable {

  /** One more whenever a line changes its meaning. */
  private static final int PROTOCOL = 1;

  private static final String GREETING = "reactive-transfer-tools";
  private static final int CONNECT_MILLIS = 10_000;
  private static final int GREETING_MILLIS = 10_000;

  /** A host that is unplugged is missed after idle + count * interval seconds. */
  private static final int KEEP_IDLE_SECONDS = 10;

  private static final int KEEP_INTERVAL_SECONDS = 5;
  private static final int KEEP_COUNT = 4;

  private final Socket socket;
  private final LineChannel channel;

  private Connection(Socket socket) throws IOException {
    this.socket = socket;
    socket.setTcpNoDelay(true);
    socket.setKeepAlive(true);
    Set<?> can = socket.supportedOptions();
    if (can.contains(ExtendedSocketOptions.TCP_KEEPIDLE)) {
      socket.setOption(ExtendedSocketOptions.TCP_KEEPIDLE, KEEP_IDLE_SECONDS);
      socket.setOption(ExtendedSocketOptions.TCP_KEEPINTERVAL, KEEP_INTERVAL_SECONDS);
      socket.setOption(ExtendedSocketOptions.TCP_KEEPCOUNT, KEEP_COUNT);
    }
    this.channel = new LineChannel(socket.getInputStream(), socket.getOutputStream());
  }

  /**
   * Connects and greets.
   *
   * @throws IOException if nobody listens there, or somebody else; says what to do
   */
  public static Connection connect(HostPort to) throws IOException {
    Socket socket = new Socket();
    try {
      InetSocketAddress address = to.resolve();
      if (address.isUnresolved()) {
        throw new IOException("no such host");
      }
      socket.connect(address, CONNECT_MILLIS);
    } catch (IOException e) {
      socket.close();
      throw new IOException(
          "no connection to "
              + to
              + ": "
              + e.getMessage()
              + "; start the same command there with --listen first, and let the port through",
          e);
    }
    return greeted(socket, to.toString());
  }

  /** Takes the next one that connects. */
  static Connection accept(ServerSocket listener) throws IOException {
    Socket socket = listener.accept();
    return greeted(socket, String.valueOf(socket.getRemoteSocketAddress()));
  }

  private static Connection greeted(Socket socket, String other) throws IOException {
    try {
      Connection connection = new Connection(socket);
      connection.greet(greeting(), other);
      return connection;
    } catch (IOException e) {
      socket.close();
      throw e;
    }
  }

  private void greet(String greeting, String other) throws IOException {
    channel.tell(greeting);
    socket.setSoTimeout(GREETING_MILLIS);
    String theirs = channel.read();
    socket.setSoTimeout(0);
    if (theirs == null || !theirs.startsWith(GREETING + " ")) {
      throw new IOException(
          "expected "
              + greeting
              + " at "
              + other
              + ", got "
              + (theirs == null ? "its end" : "something else"));
    }
    if (!theirs.equals(greeting)) {
      throw new IOException(
          "expected the same version at %s: here it is %s, there %s; install the same one on both"
              .formatted(other, greeting, theirs.replaceAll("[^\\x20-\\x7e]", "?")));
    }
  }

  /** What is not in a jar has no version; such builds know each other by the protocol only. */
  static String greeting() {
    String version = Connection.class.getPackage().getImplementationVersion();
    return GREETING + " " + PROTOCOL + " " + Objects.requireNonNullElse(version, "unpackaged");
  }

  /** Says a line; if nobody takes it, the end of what the other one says follows. */
  public void tell(String line) {
    channel.tell(line);
  }

  /** Begins to listen. */
  public void listen(LineChannel.Listener listener) {
    var _ = channel.listen("connection", listener);
  }

  /** The address of this host on the way to the other one. */
  public String localHost() {
    return socket.getLocalAddress().getHostAddress();
  }

  /** The address of the other host. */
  public String remoteHost() {
    return socket.getInetAddress().getHostAddress();
  }

  @Override
  public void close() {
    try {
      socket.close();
    } catch (IOException e) {
      // then it is no more open than after a close
    }
  }
}
