package io.reactivetransfer.tcp;

import io.reactivetransfer.tck.Chapters;
import io.reactivetransfer.tck.process.TwoProcesses;
import org.junit.jupiter.api.AfterAll;

/** The chapters about bytes, and about memory whose bytes are to come no more. */
@Chapters({"Visibility", "Revocation"})
class TcpTwoProcessesConformanceTest extends TcpInTwoProcesses {

  private static final TwoProcesses BOTH = new TwoProcesses(Tcp.class);

  TcpTwoProcessesConformanceTest() {
    super(BOTH);
  }

  @AfterAll
  static void end() {
    BOTH.close();
  }
}
