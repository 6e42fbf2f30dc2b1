package io.reactivetransfer.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.reactivetransfer.control.socket.ErrorCode;
import io.reactivetransfer.fuzz.Fuzz;
import io.reactivetransfer.fuzz.Input;
import io.reactivetransfer.fuzz.Target;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Whatever targets answer: each write is reported once, as soon as its source is free and not
 * before, and nobody else notices.
 */
@Timeout(7_200)
class OutboundFuzzTest {

  private final FuzzNic.Shared shared = new FuzzNic.Shared();

  @Test
  void hostileTargets() {
    Fuzz.run(
        Target.TCP_OUTBOUND,
        in -> new LinkCase(in, new FuzzNic(shared, in, false), false, true).run());
  }

  /** NICs with one defect each, to show that the fuzzer would find it. */
  enum Saboteur {
    /** Forgets a write. */
    LOSES_A_WRITE {
      @Override
      FuzzNic nic(FuzzNic.Shared shared, Input in) {
        return new FuzzNic(shared, in, false) {
          @Override
          public void failed(long token, int code, String text) {
            if (token % 4 != 3) {
              super.failed(token, code, text);
            }
          }
        };
      }
    },
    /** Takes a refusal for an acknowledgement. */
    TAKES_A_NACK_FOR_AN_ACK {
      @Override
      FuzzNic nic(FuzzNic.Shared shared, Input in) {
        return new FuzzNic(shared, in, false) {
          @Override
          public void failed(long token, int code, String text) {
            if (code == ErrorCode.REVOKED.value) {
              super.written(token);
            } else {
              super.failed(token, code, text);
            }
          }
        };
      }
    },
    /** Sends other bytes than those of the source. */
    DAMAGES_BYTES {
      @Override
      FuzzNic nic(FuzzNic.Shared shared, Input in) {
        return changing(
            shared,
            in,
            out -> {
              if (out.readableBytes() > 4_500) {
                out.setByte(out.writerIndex() - 1, 0);
              }
            });
      }
    },
    /** Does not release what it sends. */
    LEAKS {
      @Override
      FuzzNic nic(FuzzNic.Shared shared, Input in) {
        return changing(
            shared,
            in,
            out -> {
              if (out.getByte(out.readerIndex()) == Wire.GOODBYE) {
                out.retain();
              }
            });
      }
    };

    abstract FuzzNic nic(FuzzNic.Shared shared, Input in);

    private static FuzzNic changing(FuzzNic.Shared shared, Input in, Consumer<ByteBuf> change) {
      return new FuzzNic(shared, in, false) {
        @Override
        boolean drops(ByteBuf frames) {
          change.accept(frames);
          return false;
        }
      };
    }
  }

  @ParameterizedTest
  @EnumSource
  void findsADefect(Saboteur saboteur) {
    assertThat(
            Fuzz.firstFailure(
                Target.TCP_OUTBOUND,
                1,
                0,
                10_000,
                in -> new LinkCase(in, saboteur.nic(shared, in), false, true).run()))
        .isPresent();
  }
}
