package io.reactivetransfer.tcp;

import io.reactivetransfer.tck.Chapters;
import io.reactivetransfer.tck.process.TwoProcesses;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;

/** The chapters about bytes, and about memory whose bytes are to come no more. */
// A usual build has these chapters in one process, and losses of processes by the rules about
// those.
@Tag("merge")
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
