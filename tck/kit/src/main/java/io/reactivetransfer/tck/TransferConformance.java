package io.reactivetransfer.tck;

import io.reactivetransfer.spi.Backend;
import java.lang.foreign.Arena;
import java.lang.foreign.SegmentAllocator;
import org.junit.jupiter.api.ClassOrderer;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.TestClassOrder;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.api.parallel.ResourceLock;

/**
 * Runs every rule of the specification that a program can check on one backend. Extend it, return
 * the backend, and run it as any JUnit test class.
 *
 * <p>The rules cannot be overridden. What a backend cannot do is declared in its {@link Profile},
 * and shows as skipped, with the reason. A backend that is not available on a machine fails the
 * class, as one, unless {@link Profile#skipIfUnavailable()} says otherwise.
 */
@Execution(ExecutionMode.SAME_THREAD)
@ResourceLock("io.reactivetransfer.tck") // what Reactor drops is recorded for the whole JVM
@TestClassOrder(ClassOrderer.OrderAnnotation.class)
@ExtendWith(AvailabilityCheck.class)
public abstract class TransferConformance {

  /** For the test class of a backend. */
  protected TransferConformance() {}

  /**
   * The backend under test. Asked once for each test; all engines of a test are built on what it
   * returned. And asked before the first one, of other objects of this class, whether it is
   * available.
   */
  protected abstract Backend backend();

  /** How to run the rules, and what the backend cannot do. */
  protected Profile profile() {
    return Profile.defaults();
  }

  /**
   * Where the memory of a test comes from, if that matters; zeros. By default from an arena that is
   * closed at the end of the test, so that whoever touches it afterwards is found.
   */
  protected SegmentAllocator memory(Arena arena) {
    return arena;
  }

  /** For the kit's own tests only, hence package-private. */
  Sabotage sabotage() {
    return Sabotage.NONE;
  }

  @Nested
  @Order(1)
  final class Visibility extends VisibilityRules {
    Visibility() {
      super(TransferConformance.this);
    }
  }

  @Nested
  @Order(2)
  final class Arrival extends ArrivalRules {
    Arrival() {
      super(TransferConformance.this);
    }
  }

  @Nested
  @Order(3)
  final class Quiet extends QuietRules {
    Quiet() {
      super(TransferConformance.this);
    }
  }

  @Nested
  @Order(4)
  final class Cancel extends CancelRules {
    Cancel() {
      super(TransferConformance.this);
    }
  }

  @Nested
  @Order(5)
  final class Terminal extends TerminalRules {
    Terminal() {
      super(TransferConformance.this);
    }
  }

  @Nested
  @Order(6)
  final class Demand extends DemandRules {
    Demand() {
      super(TransferConformance.this);
    }
  }

  @Nested
  @Order(7)
  final class LostPeer extends LostPeerRules {
    LostPeer() {
      super(TransferConformance.this);
    }
  }

  @Nested
  @Order(8)
  final class Abort extends AbortRules {
    Abort() {
      super(TransferConformance.this);
    }
  }

  @Nested
  @Order(9)
  final class Revocation extends RevocationRules {
    Revocation() {
      super(TransferConformance.this);
    }
  }

  @Nested
  @Order(10)
  final class Counting extends CountingRules {
    Counting() {
      super(TransferConformance.this);
    }
  }

  @Nested
  @Order(11)
  final class Placement extends PlacementRules {
    Placement() {
      super(TransferConformance.this);
    }
  }

  @Nested
  @Order(12)
  final class BadInput extends BadInputRules {
    BadInput() {
      super(TransferConformance.this);
    }
  }

  @Nested
  @Order(13)
  final class Message extends MessageRules {
    Message() {
      super(TransferConformance.this);
    }
  }

  @Nested
  @Order(14)
  final class Registration extends RegistrationRules {
    Registration() {
      super(TransferConformance.this);
    }
  }

  @Nested
  @Order(15)
  final class Shutdown extends ShutdownRules {
    Shutdown() {
      super(TransferConformance.this);
    }
  }

  @Nested
  @Order(16)
  final class BackPressure extends BackPressureRules {
    BackPressure() {
      super(TransferConformance.this);
    }
  }

  @Nested
  @Order(17)
  final class Driver extends DriverRules {
    Driver() {
      super(TransferConformance.this);
    }
  }

  @Nested
  @Order(17)
  final class DriverLimit extends DriverLimitRules {
    DriverLimit() {
      super(TransferConformance.this);
    }
  }

  @Nested
  @Order(17)
  final class DriverWait extends DriverWaitRules {
    DriverWait() {
      super(TransferConformance.this);
    }
  }

  @Nested
  @Order(17)
  final class DriverTrust extends DriverTrustRules {
    DriverTrust() {
      super(TransferConformance.this);
    }
  }

  @Nested
  @Order(17)
  final class DriverReport extends DriverReportRules {
    DriverReport() {
      super(TransferConformance.this);
    }
  }

  @Nested
  @Order(17)
  final class DriverRelease extends DriverReleaseRules {
    DriverRelease() {
      super(TransferConformance.this);
    }
  }

  @Nested
  @Order(17)
  final class DriverLoop extends DriverLoopRules {
    DriverLoop() {
      super(TransferConformance.this);
    }
  }

  @Nested
  @Order(17)
  final class DriverDevice extends DriverDeviceRules {
    DriverDevice() {
      super(TransferConformance.this);
    }
  }

  @Nested
  @Order(18)
  final class ReactiveStreams extends ReactiveStreamsRules {
    ReactiveStreams() {
      super(TransferConformance.this);
    }
  }

  @Nested
  @Order(19)
  final class Deadline extends DeadlineRules {
    Deadline() {
      super(TransferConformance.this);
    }
  }

  @Nested
  @Order(20)
  final class Outcome extends OutcomeRules {
    Outcome() {
      super(TransferConformance.this);
    }
  }

  @Nested
  @Order(21)
  final class Barrier extends BarrierRules {
    Barrier() {
      super(TransferConformance.this);
    }
  }

  @Nested
  @Order(22)
  final class Watch extends WatchRules {
    Watch() {
      super(TransferConformance.this);
    }
  }

  @Nested
  @Order(23)
  final class NicFailure extends NicFailureRules {
    NicFailure() {
      super(TransferConformance.this);
    }
  }

  @Nested
  @Order(24)
  final class Size extends SizeRules {
    Size() {
      super(TransferConformance.this);
    }
  }

  @Nested
  @Order(24)
  final class HalfWay extends HalfWayRules {
    HalfWay() {
      super(TransferConformance.this);
    }
  }

  @Nested
  @Order(26)
  final class Control extends ControlRules {
    Control() {
      super(TransferConformance.this);
    }
  }

  @Nested
  @Order(27)
  final class Figure extends FigureRules {
    Figure() {
      super(TransferConformance.this);
    }
  }

  @Nested
  @Order(24)
  final class Leftover extends LeftoverRules {
    Leftover() {
      super(TransferConformance.this);
    }
  }
}
