package io.reactivetransfer;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.DescriptorFuzz.Form;
import io.reactivetransfer.fuzz.Fuzz;
import io.reactivetransfer.fuzz.Target;
import java.util.HexFormat;
import java.util.Objects;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Bytes and texts of any kind are read as what they say, or refused; nothing else. */
@Timeout(7_200)
class DescriptorFuzzTest {

  @Test
  void peerAddresses() {
    Fuzz.run(Target.PEER_ADDRESS, in -> DescriptorFuzz.check(in, new Form.Address()));
  }

  @Test
  void regionDescriptors() {
    Fuzz.run(Target.REGION_DESCRIPTOR, in -> DescriptorFuzz.check(in, new Form.Descriptor()));
  }

  /** Readers with one defect each, to show that the fuzzer would find it. */
  enum Defect {
    /** Has no clear error for what is too short. */
    ENDS_IN_THE_MIDDLE {
      @Override
      Object read(byte[] bytes) {
        Objects.checkIndex(20, bytes.length);
        return RegionDescriptor.fromBytes(bytes);
      }
    },
    /** Has no place for what is long. */
    NARROWS_A_LENGTH {
      @Override
      Object read(byte[] bytes) {
        RegionDescriptor read = RegionDescriptor.fromBytes(bytes);
        return Math.toIntExact(read.length()) < 0 ? "" : read;
      }
    },
    /** Takes a part of what is there. */
    FORGETS_THE_END {
      @Override
      Object read(byte[] bytes) {
        for (int length = bytes.length; length > bytes.length - 8; length--) {
          try {
            return RegionDescriptor.fromBytes(DescriptorFuzz.sealed(bytes, length));
          } catch (DescriptorFormatException e) {
            // then one byte less
          }
        }
        return RegionDescriptor.fromBytes(bytes);
      }
    },
    /** Loses a field. */
    FORGETS_THE_ACCESS {
      @Override
      Object read(byte[] bytes) {
        RegionDescriptor read = RegionDescriptor.fromBytes(bytes);
        return new RegionDescriptor(
            read.owner(),
            read.number(),
            read.length(),
            Access.REMOTE_WRITE,
            IntStream.range(0, read.nics()).mapToObj(read::key).toList());
      }
    };

    abstract Object read(byte[] bytes);
  }

  @ParameterizedTest
  @EnumSource
  void findsADefect(Defect defect) {
    Form form =
        new Form.Descriptor() {
          @Override
          Object read(byte[] bytes) {
            return defect.read(bytes);
          }
        };
    assertThat(
            Fuzz.firstFailure(
                Target.REGION_DESCRIPTOR, 1, 0, 5_000, in -> DescriptorFuzz.check(in, form)))
        .isPresent();
  }

  @Test
  void findsAKeyInAText() {
    Form form =
        new Form.Descriptor() {
          @Override
          String text(Object value) {
            byte[] key = ((RegionDescriptor) value).key(0);
            return super.text(value) + HexFormat.of().formatHex(key);
          }
        };
    assertThat(
            Fuzz.firstFailure(
                Target.REGION_DESCRIPTOR, 1, 0, 100, in -> DescriptorFuzz.check(in, form)))
        .isPresent();
  }
}
