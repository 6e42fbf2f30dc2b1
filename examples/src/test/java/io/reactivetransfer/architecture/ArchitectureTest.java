package io.reactivetransfer.architecture;

import org.junit.jupiter.api.Nested;

/**
 * All rules about the code of all modules. They are in one class, since each JVM of a build that
 * runs some of them reads all of that code first, which takes longer than all rules together.
 */
class ArchitectureTest {

  @Nested
  class Layers extends LayersRules {}

  @Nested
  class Engine extends EngineRules {}

  @Nested
  class NativeCode extends NativeCodeRules {}

  @Nested
  class Rooms extends RoomsRules {}

  @Nested
  class Paths extends PathsRules {}

  @Nested
  class Troubleshooting extends TroubleshootingRules {}
}
