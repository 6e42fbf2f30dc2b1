package io.reactivetransfer.ibverbs.ffi;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What is open, and what was done that may not be. */
final class FakeBooks {

  private final Map<Long, FakeObject> open = new LinkedHashMap<>();

  /** The same by their kinds: a card looks through all of a kind for each request. */
  private final Map<Class<?>, List<FakeObject>> byKind = new HashMap<>();

  private final Map<Long, String> closed = new LinkedHashMap<>();
  private final List<String> mistakes = new ArrayList<>();

  void mistake(String what) {
    mistakes.add(what);
  }

  List<String> mistakes() {
    return List.copyOf(mistakes);
  }

  List<String> open() {
    return open.values().stream().map(FakeObject::toString).toList();
  }

  <T extends FakeObject> T add(T made) {
    open.put(made.address, made);
    kind(made.getClass()).add(made);
    return made;
  }

  /** What is at an address; null, and a mistake, if that is no such thing. */
  <T extends FakeObject> @Nullable T get(Class<T> type, long address, String call) {
    FakeObject found = open.get(address);
    if (type.isInstance(found)) {
      return type.cast(found);
    }
    mistake(call + " of " + closed.getOrDefault(address, "what never was one"));
    return null;
  }

  /** It is destroyed; whether it was not in use. */
  boolean remove(FakeObject object, String call) {
    if (object.uses > 0) {
      mistake(call + " although it is used by " + object.uses);
      return false;
    }
    open.remove(object.address);
    kind(object.getClass()).remove(object);
    closed.put(object.address, "what was destroyed, a " + object);
    object.end();
    return true;
  }

  /** All of a kind that are open, the eldest first, as they are at any time. */
  @SuppressWarnings("unchecked") // each list has objects of its kind only
  <T extends FakeObject> List<T> all(Class<T> type) {
    return (List<T>) kind(type);
  }

  private List<FakeObject> kind(Class<?> type) {
    return byKind.computeIfAbsent(type, _ -> new ArrayList<>());
  }
}
