package io.reactivetransfer.examples.snippets;

import io.reactivetransfer.ClusterSecret;
import io.reactivetransfer.TransferEngine;
import io.reactivetransfer.control.ControlBuilder;
import io.reactivetransfer.control.NettyControl;
import io.reactivetransfer.engine.TransferEngineBuilder;
import io.reactivetransfer.loopback.LoopbackBackend;
import io.reactivetransfer.spi.Backend;
import io.reactivetransfer.spi.ControlChannel;
import io.reactivetransfer.spi.ControlContext;
import io.reactivetransfer.tck.Capability;
import io.reactivetransfer.tck.ForwardingBackend;
import io.reactivetransfer.tck.ProcessConformance;
import io.reactivetransfer.tck.Profile;
import io.reactivetransfer.tck.TransferConformance;
import io.reactivetransfer.tck.process.ProcessBackend;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import reactor.core.publisher.Mono;

/** The lines of docs/writing-a-backend.md that are no files of their own, to be compiled. */
abstract class WritingABackendSnippets {

  Mono<TransferEngine> found() {
    return TransferEngineBuilder.create().backend("mynic").open();
  }

  /** A backend whose control channel is that of the page. */
  abstract static class WithControl implements Backend {

    private final ClusterSecret secret = ClusterSecret.of(new byte[32]);

    private final NettyControl control =
        NettyControl.builder().host("10.0.0.7").secret(secret).build();

    @Override
    public CompletionStage<ControlChannel> openControl(ControlContext context) {
      return control.open(context);
    }
  }

  /** One that reaches other processes, as that of the page does not. */
  static final class MyNicBackend extends ForwardingBackend {

    MyNicBackend() {
      super(LoopbackBackend.builder().build(), (domain, context) -> domain);
    }

    static final class Builder extends ControlBuilder<Builder> {
      MyNicBackend build() {
        return new MyNicBackend();
      }
    }

    static Builder builder() {
      return new Builder();
    }
  }

  static class MyNicProcessConformanceTest extends ProcessConformance {

    static final class Mine implements ProcessBackend {
      @Override
      public Backend get() {
        return new MyNicBackend();
      }

      @Override
      public Backend at(String advertisedHost, int port) {
        return MyNicBackend.builder().advertised(advertisedHost).port(port).build();
      }
    }

    @Override
    protected Class<? extends Supplier<Backend>> backend() {
      return Mine.class;
    }
  }

  abstract static class Lacking extends TransferConformance {

    @Override
    protected Profile profile() {
      return Profile.defaults()
          .without(Capability.TARGET_CHECKS, "the card checks the key, and no bounds");
    }
  }

  abstract static class NotEverywhere extends TransferConformance {

    @Override
    protected Profile profile() {
      return Profile.defaults().skipIfUnavailable();
    }
  }
}
