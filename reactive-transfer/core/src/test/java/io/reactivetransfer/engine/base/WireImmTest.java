package io.reactivetransfer.engine.base;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.Imm;
import java.util.Random;
import org.junit.jupiter.api.Test;

class WireImmTest {

  @Test
  void keepsTheImmediateAndTheNumberOfPieces() {
    long seed = new Random().nextLong();
    Random random = new Random(seed);
    for (int pieces = 1; pieces <= 8; pieces++) {
      for (int i = 0; i < 1_000; i++) {
        int imm = i == 0 ? 0 : i == 1 ? Imm.MAX_VALUE : random.nextInt(Imm.MAX_VALUE + 1);
        int wire = WireImm.encode(imm, pieces);
        assertThat(WireImm.imm(wire)).as("seed %d", seed).isEqualTo(imm);
        assertThat(WireImm.shares(wire) * pieces).isEqualTo(WireImm.SHARES);
      }
    }
  }

  /** What two versions of the library say to each other. */
  @Test
  void itsFormIsFixed() {
    assertThat(WireImm.encode(5, 1)).isEqualTo(5);
    assertThat(WireImm.encode(5, 2)).isEqualTo(0x2000_0005);
    assertThat(WireImm.encode(Imm.MAX_VALUE, 8)).isEqualTo(0xFFFF_FFFF);
  }

  /** Whatever comes over the wire is some immediate and some share. */
  @Test
  void everyWordCanBeRead() {
    long seed = new Random().nextLong();
    Random random = new Random(seed);
    for (int i = 0; i < 10_000; i++) {
      int wire = random.nextInt();
      int imm = WireImm.imm(wire);
      assertThat(imm).as("seed %d", seed).isBetween(0, Imm.MAX_VALUE);
      assertThat(840 % WireImm.shares(wire)).isZero();
    }
  }
}
