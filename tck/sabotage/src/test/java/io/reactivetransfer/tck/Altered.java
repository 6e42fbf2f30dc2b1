package io.reactivetransfer.tck;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import org.jspecify.annotations.Nullable;

/** Figures of which one is another than it was. */
final class Altered {

  private Altered() {}

  /** The same object, but for what the method of this name returns. */
  static <T> T figure(Class<T> type, T figures, String name, @Nullable Object value) {
    return type.cast(
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type},
            (_, method, arguments) -> {
              try {
                return method.getName().equals(name) ? value : method.invoke(figures, arguments);
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            }));
  }
}
