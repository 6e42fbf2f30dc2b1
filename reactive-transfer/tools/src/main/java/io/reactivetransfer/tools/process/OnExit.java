package io.reactivetransfer.tools.process;

/** What is to be ended when this process is told to end, such as children that are stuck. */
public final class OnExit implements AutoCloseable {

  private final Thread hook;

  private OnExit(Thread hook) {
    this.hook = hook;
  }

  /** From now on until this is closed. */
  public static OnExit run(Runnable end) {
    OnExit onExit = new OnExit(Thread.ofPlatform().unstarted(end));
    Runtime.getRuntime().addShutdownHook(onExit.hook);
    return onExit;
  }

  @Override
  public void close() {
    try {
      Runtime.getRuntime().removeShutdownHook(hook);
    } catch (IllegalStateException e) {
      // it runs already
    }
  }
}
