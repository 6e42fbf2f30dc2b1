package io.reactivetransfer.micrometer;

import static io.reactivetransfer.micrometer.MeteredEngines.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.context.ContextRegistry;
import io.reactivetransfer.EngineRecorder;
import io.reactivetransfer.Imm;
import io.reactivetransfer.TransferEngine;
import io.reactivetransfer.WriteImm;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Hooks;

/**
 * What Reactor's automatic context propagation has in the {@link ThreadLocal}s of an application's
 * operators, such as the current span, upstream and downstream of an engine that works on threads
 * of its own.
 */
class ThreadLocalsTest {

  private static final String KEY = "who";

  /** More than two windows, so that upstream is asked again when the engine has emitted. */
  private static final int COUNT = 600;

  private static final ThreadLocal<String> WHO = new ThreadLocal<>();

  @RegisterExtension final MeteredEngines engines = new MeteredEngines();

  private final List<String> upstream = Collections.synchronizedList(new ArrayList<>());
  private final List<String> downstream = Collections.synchronizedList(new ArrayList<>());

  @BeforeEach
  void propagate() {
    ContextRegistry.getInstance().registerThreadLocalAccessor(KEY, WHO);
    Hooks.enableAutomaticContextPropagation();
  }

  @AfterEach
  void propagateNoMore() {
    WHO.remove();
    Hooks.disableAutomaticContextPropagation();
    ContextRegistry.getInstance().removeThreadLocalAccessor(KEY);
  }

  private enum Kind {
    SUBMIT {
      @Override
      Flux<?> of(TransferEngine origin, TransferEngine target, Flux<WriteImm> upstream) {
        return origin.submit(upstream);
      }
    },
    SUBMIT_EACH {
      @Override
      Flux<?> of(TransferEngine origin, TransferEngine target, Flux<WriteImm> upstream) {
        return origin.submitEach(upstream);
      }
    },
    CLAIMS {
      @Override
      Flux<?> of(TransferEngine origin, TransferEngine target, Flux<WriteImm> upstream) {
        return target.counter(Imm.of(1)).claims(upstream, _ -> 1);
      }
    };

    abstract Flux<?> of(TransferEngine origin, TransferEngine target, Flux<WriteImm> upstream);
  }

  @ParameterizedTest
  @EnumSource
  void whatIsSetAtTheSubscriberIsSeenUpstreamAndDownstream(Kind kind) {
    TransferEngine origin = engines.open(EngineRecorder.NONE);
    TransferEngine target = engines.open(EngineRecorder.NONE);
    WriteImm write = engines.write(origin, target);
    if (kind == Kind.CLAIMS) {
      origin.submit(Flux.range(0, COUNT).map(_ -> write)).then().block(PATIENCE);
    }
    Flux<WriteImm> writes =
        Flux.range(0, COUNT)
            .map(_ -> {
              upstream.add(String.valueOf(WHO.get()));
              return write;
            });
    WHO.set("me");
    kind.of(origin, target, writes)
        .doOnNext(_ -> downstream.add(String.valueOf(WHO.get())))
        .then()
        .block(PATIENCE);
    assertThat(downstream).as("downstream").hasSize(COUNT).containsOnly("me");
    assertThat(upstream).as("upstream").hasSize(COUNT).containsOnly("me");
  }
}
