package io.reactivetransfer.ibverbs;

import io.reactivetransfer.tck.Chapters;
import org.junit.jupiter.api.Tag;

/** A further chapter of the same, which a usual build has over cards whose queues are long. */
@Tag("nightly")
@Chapters("Revocation")
class SmallDeviceRevocationConformanceTest extends SmallDeviceConformanceTest {}
