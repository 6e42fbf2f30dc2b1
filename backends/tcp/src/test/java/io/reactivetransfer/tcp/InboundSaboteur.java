package io.reactivetransfer.tcp;

import io.netty.buffer.ByteBuf;
import io.reactivetransfer.Access;
import io.reactivetransfer.fuzz.Input;
import io.reactivetransfer.spi.LocalMemory;
import java.util.function.Predicate;

/** NICs with one defect each, to show that the fuzzer would find it. */
enum InboundSaboteur {
  /** Takes what goes a little beyond the end of the memory. */
  CHECKS_BOUNDS_BADLY {
    @Override
    FuzzNic nic(FuzzNic.Shared shared, Input in) {
      return new FuzzNic(shared, in, false) {
        @Override
        LocalMemory register(int at, int length, Access access) {
          return super.register(at, length + 1, access);
        }
      };
    }
  },
  /** Lets others write what is for local use. */
  FORGETS_THE_ACCESS {
    @Override
    FuzzNic nic(FuzzNic.Shared shared, Input in) {
      return new FuzzNic(shared, in, false) {
        @Override
        LocalMemory register(int at, int length, Access access) {
          return super.register(at, length, Access.REMOTE_WRITE);
        }
      };
    }
  },
  /** Takes writes under the old key. */
  FORGETS_TO_REVOKE {
    @Override
    FuzzNic nic(FuzzNic.Shared shared, Input in) {
      return new FuzzNic(shared, in, false) {
        @Override
        void deregister(LocalMemory memory) {}
      };
    }
  },
  /** Tells of an immediate twice. */
  COUNTS_TWICE {
    @Override
    FuzzNic nic(FuzzNic.Shared shared, Input in) {
      return new FuzzNic(shared, in, false) {
        @Override
        public void immArrived(int imm, long bytes) {
          super.immArrived(imm, bytes);
          if ((imm & 0xff) == 1) {
            super.immArrived(imm, bytes);
          }
        }
      };
    }
  },
  /** Tells the length of the last write for that of each one. */
  TELLS_ANOTHER_LENGTH {
    @Override
    FuzzNic nic(FuzzNic.Shared shared, Input in) {
      return new FuzzNic(shared, in, false) {
        private long last;

        @Override
        public void immArrived(int imm, long bytes) {
          super.immArrived(imm, last);
          last = bytes;
        }
      };
    }
  },
  /** Does not say that a write was refused. */
  SWALLOWS_A_NACK {
    @Override
    FuzzNic nic(FuzzNic.Shared shared, Input in) {
      return dropping(shared, in, frame -> frame.getByte(0) == Wire.NACK);
    }
  },
  /** Says nothing when it ends a connection. */
  SAYS_NO_GOODBYE {
    @Override
    FuzzNic nic(FuzzNic.Shared shared, Input in) {
      return dropping(shared, in, frame -> frame.getByte(0) == Wire.GOODBYE);
    }
  },
  /** Acknowledges one write more than there was. */
  ACKNOWLEDGES_TOO_MUCH {
    @Override
    FuzzNic nic(FuzzNic.Shared shared, Input in) {
      return dropping(
          shared,
          in,
          frame -> {
            if (frame.getByte(0) == Wire.ACK && frame.getLong(1) == 3) {
              frame.setLong(1, 4);
            }
            return false;
          });
    }
  },
  /** Does not release what it sends. */
  LEAKS {
    @Override
    FuzzNic nic(FuzzNic.Shared shared, Input in) {
      return dropping(
          shared,
          in,
          frame -> {
            if (frame.getByte(0) == Wire.GOODBYE) {
              frame.retain();
            }
            return false;
          });
    }
  };

  abstract FuzzNic nic(FuzzNic.Shared shared, Input in);

  private static FuzzNic dropping(FuzzNic.Shared shared, Input in, Predicate<ByteBuf> dropped) {
    return new FuzzNic(shared, in, false) {
      @Override
      boolean drops(ByteBuf frames) {
        return dropped.test(frames);
      }
    };
  }
}
