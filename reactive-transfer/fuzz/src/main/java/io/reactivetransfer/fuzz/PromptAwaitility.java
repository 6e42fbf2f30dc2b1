package io.reactivetransfer.fuzz;

import java.time.Duration;
import org.awaitility.Awaitility;
import org.junit.platform.launcher.LauncherSession;
import org.junit.platform.launcher.LauncherSessionListener;

/**
 * Has Awaitility look at a condition at once, and every 2 ms from then on. By itself it looks after
 * 100 ms for the first time, and most of what the tests wait for holds long before that. And it
 * waits for 40 s instead of 10 where a test does not say, because machines may be busy.
 */
public final class PromptAwaitility implements LauncherSessionListener {

  private static final Duration INTERVAL = Duration.ofMillis(2);
  private static final Duration TIMEOUT = Duration.ofSeconds(40);

  @Override
  public void launcherSessionOpened(LauncherSession session) {
    Awaitility.setDefaultPollDelay(Duration.ZERO);
    Awaitility.setDefaultPollInterval(INTERVAL);
    Awaitility.setDefaultTimeout(TIMEOUT);
  }
}
