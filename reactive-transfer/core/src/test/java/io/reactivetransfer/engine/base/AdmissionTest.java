package io.reactivetransfer.engine.base;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class AdmissionTest {

  @Test
  void letsInAsManyAsAllowed() {
    Admission admission = new Admission(2);
    assertThat(admission.tryEnter()).isNull();
    assertThat(admission.tryEnter()).isNull();
    assertThat(admission.tryEnter()).hasMessageContaining("at most 2");
    assertThat(admission.inside()).isEqualTo(2);
    admission.leave();
    assertThat(admission.tryEnter()).isNull();
  }

  @Test
  void aTicketIsGivenBackOnce() {
    Admission admission = new Admission(1);
    assertThat(admission.tryEnter()).isNull();
    AdmissionTicket ticket = new AdmissionTicket(admission);
    ticket.leave();
    ticket.leave();
    assertThat(admission.inside()).isZero();
  }

  @Test
  void closedItLetsNobodyIn() {
    Admission admission = new Admission(5);
    admission.close();
    assertThat(admission.tryEnter()).hasMessageContaining("closed");
    assertThat(admission.inside()).isZero();
  }
}
