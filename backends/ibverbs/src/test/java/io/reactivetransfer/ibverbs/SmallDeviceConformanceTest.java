package io.reactivetransfer.ibverbs;

import io.reactivetransfer.ibverbs.ffi.FakeLimits;
import io.reactivetransfer.ibverbs.ffi.FakeVerbs;
import io.reactivetransfer.tck.Chapters;
import org.junit.jupiter.api.Tag;

/**
 * What holds the credits of queues, over cards whose queues are short; see SmallDeviceTest. That
 * revocations hold them is shown over long queues in a usual build, and here by the next class.
 */
// A usual build has these chapters with the limits of a usual card.
@Tag("merge")
@Chapters({"DriverLimit", "DriverWait", "DriverReport"})
class SmallDeviceConformanceTest extends IbverbsFakeConformanceTest {

  @Override
  FakeVerbs cards() {
    return new FakeVerbs(8, FakeLimits.small(8));
  }
}
