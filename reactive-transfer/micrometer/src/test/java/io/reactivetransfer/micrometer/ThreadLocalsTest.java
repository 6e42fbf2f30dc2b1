package io.reactivetransfer.micrometer;

import static io.reactivetransfer.micrometer.MeteredEngines.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.EngineRecorder;
import io.reactivetransfer.Imm;
import io.reactivetransfer.TransferEngine;
import io.reactivetransfer.WriteImm;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import reactor.core.publisher.Flux;

/**
 * What Reactor's automatic context propagation has in the {@link ThreadLocal}s of an application's
 * operators, such as the current span, upstream and downstream of an engine that works on threads
 * of its own.
 */
class ThreadLocalsTest {

  /** More than two windows, so that upstream is asked again when the engine has emitted. */
  private static final int COUNT = 600;

  private static final String UPSTREAM = "upstream";
  private static final String DOWNSTREAM = "downstream";

  @RegisterExtension final MeteredEngines engines = new MeteredEngines();
  @RegisterExtension final Propagation propagation = new Propagation();

  private enum Kind {
    SUBMIT {
      @Override
      Flux<?> of(TransferEngine origin, TransferEngine target, Flux<WriteImm> upstream) {
        return origin.submit(upstream);
      }
    },
    SUBMIT_WITHIN {
      @Override
      Flux<?> of(TransferEngine origin, TransferEngine target, Flux<WriteImm> upstream) {
        return origin.submit(upstream, PATIENCE);
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
    },
    CLAIMS_WITHIN {
      @Override
      Flux<?> of(TransferEngine origin, TransferEngine target, Flux<WriteImm> upstream) {
        return target
            .counter(Imm.of(1))
            .boundTo(target.peer(origin.address()))
            .within(PATIENCE)
            .claims(upstream, _ -> 1);
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
    if (kind == Kind.CLAIMS || kind == Kind.CLAIMS_WITHIN) {
      origin.submit(Flux.range(0, COUNT).map(_ -> write)).then().block(PATIENCE);
    }
    Flux<WriteImm> writes =
        Flux.range(0, COUNT)
            .map(_ -> {
              propagation.look(UPSTREAM);
              return write;
            });
    propagation.begin();
    kind.of(origin, target, writes)
        .doOnNext(_ -> propagation.look(DOWNSTREAM))
        .then()
        .block(PATIENCE);
    propagation.requireSeenElsewhere(DOWNSTREAM);
    propagation.requireSeenElsewhere(UPSTREAM);
    assertThat(propagation.count(DOWNSTREAM)).isEqualTo(COUNT);
    assertThat(propagation.count(UPSTREAM)).isEqualTo(COUNT);
  }
}
