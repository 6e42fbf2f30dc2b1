package io.reactivetransfer.membership.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.fabric8.kubernetes.api.model.StatusBuilder;
import io.fabric8.kubernetes.api.model.WatchEvent;
import io.fabric8.kubernetes.api.model.discovery.v1.EndpointSlice;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.dsl.Resource;
import io.fabric8.kubernetes.client.server.mock.KubernetesCrudDispatcher;
import io.fabric8.kubernetes.client.server.mock.KubernetesMockServer;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import io.fabric8.mockwebserver.Context;
import io.fabric8.mockwebserver.MockWebServer;
import io.fabric8.mockwebserver.http.MockResponse;
import io.fabric8.mockwebserver.http.Response;
import io.fabric8.mockwebserver.http.WebSocket;
import io.fabric8.mockwebserver.http.WebSocketListener;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import reactor.core.publisher.Hooks;

/** An API server of its own for each test, that keeps slices, or answers as it is told. */
final class ApiServer implements BeforeEachCallback, AfterEachCallback {

  static final Duration PATIENCE = Duration.ofSeconds(30);

  /** Watches that are open. */
  final AtomicInteger watches = new AtomicInteger();

  /** Lists that were asked for. */
  final AtomicInteger lists = new AtomicInteger();

  /** Watches from here on that are told to be too old: as many as this says. */
  final AtomicInteger tooOld = new AtomicInteger();

  private final boolean keepsSlices;
  private final List<Throwable> dropped = new CopyOnWriteArrayList<>();
  private final List<KubernetesClient> clients = new CopyOnWriteArrayList<>();
  private KubernetesMockServer server;
  private TcpCut way;
  private KubernetesClient writer;

  private ApiServer(boolean keepsSlices) {
    this.keepsSlices = keepsSlices;
  }

  /** What is written is what lists and watches show. */
  static ApiServer keepingSlices() {
    return new ApiServer(true);
  }

  /** It answers what a test expects, and 404 to all else. */
  static ApiServer asTold() {
    return new ApiServer(false);
  }

  @Override
  public void beforeEach(ExtensionContext context) throws Exception {
    dropped.clear();
    Hooks.onErrorDropped(dropped::add);
    server =
        keepsSlices
            ? new KubernetesMockServer(
                new Context(new ObjectMapper()),
                new MockWebServer(),
                new HashMap<>(),
                new Watched(),
                false)
            : new KubernetesMockServer(false);
    server.init();
    way = new TcpCut(server::getPort);
    writer = client(server.getPort(), Duration.ofMillis(20));
  }

  KubernetesMockServer server() {
    return server;
  }

  /** What lies between the clients and this. */
  TcpCut way() {
    return way;
  }

  /** One that tries again soon; it ends with the test. */
  KubernetesClient client() {
    return client(Duration.ofMillis(20));
  }

  /** One that tries again after this, when its own tries have failed. */
  KubernetesClient client(Duration pause) {
    return client(way.port(), pause);
  }

  private KubernetesClient client(int port, Duration pause) {
    KubernetesClient client =
        new KubernetesClientBuilder()
            .withConfig(
                new ConfigBuilder(Config.empty())
                    .withMasterUrl("http://127.0.0.1:" + port)
                    .withNamespace("llm")
                    .withHttp2Disable(true)
                    .withWatchReconnectInterval((int) pause.toMillis())
                    .withRequestRetryBackoffInterval(10)
                    .withRequestRetryBackoffLimit(2)
                    .build())
            .build();
    clients.add(client);
    return client;
  }

  /** The way of whoever writes slices is never cut. */
  Resource<EndpointSlice> slice(EndpointSlice slice) {
    return writer.discovery().v1().endpointSlices().inNamespace("llm").resource(slice);
  }

  @Override
  public void afterEach(ExtensionContext context) throws Exception {
    clients.forEach(KubernetesClient::close);
    clients.clear();
    way.close();
    server.destroy();
    Hooks.resetOnErrorDropped();
    assertThat(dropped).as("errors that nobody heard").isEmpty();
  }

  private final class Watched extends KubernetesCrudDispatcher {

    @Override
    public MockResponse handleGet(String path) {
      if (!path.contains("watch=true")) {
        lists.incrementAndGet();
      }
      return super.handleGet(path);
    }

    @Override
    public MockResponse handleWatch(String path) {
      if (tooOld.getAndUpdate(n -> Math.max(0, n - 1)) > 0) {
        return new MockResponse().withWebSocketUpgrade(new TooOld());
      }
      MockResponse response = super.handleWatch(path);
      return response.withWebSocketUpgrade(new Counted(response.getWebSocketListener()));
    }
  }

  private static final class TooOld extends WebSocketListener {

    @Override
    public void onOpen(WebSocket socket, Response response) {
      WatchEvent gone =
          new WatchEvent(
              new StatusBuilder().withCode(410).withMessage("too old resource version").build(),
              "ERROR");
      socket.send(new KubernetesSerialization().asJson(gone));
    }

    @Override
    public void onClosing(WebSocket socket, int code, String reason) {
      socket.close(code, reason);
    }
  }

  private final class Counted extends WebSocketListener {

    private final WebSocketListener actual;

    Counted(WebSocketListener actual) {
      this.actual = actual;
    }

    @Override
    public void onOpen(WebSocket socket, Response response) {
      watches.incrementAndGet();
      actual.onOpen(socket, response);
    }

    @Override
    public void onClosing(WebSocket socket, int code, String reason) {
      actual.onClosing(socket, code, reason);
    }

    @Override
    public void onClosed(WebSocket socket, int code, String reason) {
      watches.decrementAndGet();
      actual.onClosed(socket, code, reason);
    }
  }
}
