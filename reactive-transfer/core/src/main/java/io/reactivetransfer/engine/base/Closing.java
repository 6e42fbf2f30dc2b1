package io.reactivetransfer.engine.base;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Whether the engine closes, and what is to be done when that begins. The NIC thread's own. */
public final class Closing {

  private final Map<Object, Runnable> watchers = new LinkedHashMap<>();
  private final Owner owner;
  private boolean begun;

  /** Not yet. */
  public Closing(Owner owner) {
    this.owner = owner;
  }

  /** Whether it has begun: nothing new is taken. */
  public boolean isBegun() {
    return begun;
  }

  /** Has this run when the engine begins to close; at once if it has begun. */
  public void watch(Object key, Runnable action) {
    assert owner.isCurrent();
    if (begun) {
      action.run();
    } else {
      watchers.put(key, action);
    }
  }

  /** What was to be done under this key is not. */
  public void forget(Object key) {
    assert owner.isCurrent();
    watchers.remove(key);
  }

  /** It begins. */
  public void begin() {
    assert owner.isCurrent();
    begun = true;
  }

  /** Does what was left to be done. */
  public void tell(Defects defects) {
    List.copyOf(watchers.values()).forEach(each -> defects.attempt("an action at close", each));
  }
}
