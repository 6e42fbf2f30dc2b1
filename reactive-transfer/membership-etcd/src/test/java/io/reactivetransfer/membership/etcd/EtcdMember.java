package io.reactivetransfer.membership.etcd;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** One etcd of a cluster, perhaps the only one, as a child process on ports of its own. */
final class EtcdMember {

  private final String name;
  private final Path folder;
  private final String scheme;
  private final int port;
  private final int peerPort;
  private @Nullable Process process;

  /**
   * Not started.
   *
   * @param folder of the cluster, with data and logs of each member
   * @param scheme of clients; members speak to each other in the clear
   * @param port for clients; the next one is for the other members
   */
  EtcdMember(String name, Path folder, String scheme, int port) {
    this.name = name;
    this.folder = folder;
    this.scheme = scheme;
    this.port = port;
    this.peerPort = port + 1;
  }

  /** For clients. */
  int port() {
    return port;
  }

  /** For clients. */
  String endpoint() {
    return scheme + "://127.0.0.1:" + port;
  }

  /** As the others of its cluster are told of it. */
  String peer() {
    return name + "=" + peerUrl();
  }

  private String peerUrl() {
    return "http://127.0.0.1:" + peerPort;
  }

  /**
   * With the data that it has.
   *
   * @param cluster all members, this one included
   * @param options further ones
   */
  void start(String cluster, List<String> options) throws IOException {
    List<String> command =
        new ArrayList<>(
            List.of(
                "etcd",
                "--name=" + name,
                "--data-dir=" + folder.resolve(name),
                "--listen-client-urls=" + endpoint(),
                "--advertise-client-urls=" + endpoint(),
                "--listen-peer-urls=" + peerUrl(),
                "--initial-advertise-peer-urls=" + peerUrl(),
                "--initial-cluster=" + cluster,
                "--bcrypt-cost=4",
                "--logger=zap",
                "--log-level=error"));
    command.addAll(options);
    process =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(
                ProcessBuilder.Redirect.appendTo(folder.resolve(name + ".log").toFile()))
            .start();
    Runtime.getRuntime().addShutdownHook(new Thread(process::destroyForcibly));
  }

  /** Whether clients may connect. */
  boolean isListening() {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
      return socket.isConnected();
    } catch (IOException e) {
      return false;
    }
  }

  /** SIGKILL; returns when it is gone. */
  void kill() throws InterruptedException {
    process.destroyForcibly().waitFor();
  }

  /** SIGSTOP or SIGCONT. */
  void signal(String signal) throws Exception {
    new ProcessBuilder("kill", "-" + signal, String.valueOf(process.pid())).start().waitFor();
  }

  /** SIGKILL, if it was ever started; waits for a while. */
  void end() throws InterruptedException {
    if (process != null) {
      process.destroyForcibly().waitFor(10, TimeUnit.SECONDS);
    }
  }
}
