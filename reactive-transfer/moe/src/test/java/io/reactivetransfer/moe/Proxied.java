package io.reactivetransfer.moe;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;

/** Objects that do most as others do. */
final class Proxied {

  private Proxied() {}

  /** What is done instead of a call; null leaves it to the original. */
  interface Instead {
    Object of(String method, Object[] arguments);
  }

  static <T> T of(Class<T> type, T original, Instead instead) {
    return type.cast(
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type},
            (proxy, method, arguments) -> {
              Object[] with = arguments == null ? new Object[0] : arguments;
              Object other = instead.of(method.getName(), with);
              try {
                return other == null ? method.invoke(original, arguments) : other;
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            }));
  }
}
