package io.reactivetransfer.fuzz;

import java.time.Duration;
import org.awaitility.Awaitility;
import org.junit.platform.launcher.LauncherSession;
import org.junit.platform.launcher.LauncherSessionListener;

/**
 * Has Awaitility look at a condition at once, and every 2 ms from then on. By itself it looks after
 * 100 ms for the first time, and most of what the tests wait for holds long before that.
 */
public final class PromptAwaitility implements LauncherSessionListener {

  private static final Duration INTERVAL = Duration.ofMillis(2);

  @Override
  public void launcherSessionOpened(LauncherSession session) {
    Awaitility.setDefaultPollDelay(Duration.ZERO);
    Awaitility.setDefaultPollInterval(INTERVAL);
  }
}
