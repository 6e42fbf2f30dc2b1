package io.reactivetransfer.simulation;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.Objects;

/** Something that does what another one does, but for one method. */
public final class ForwardingCalls {

  /** What is called instead. */
  @FunctionalInterface
  public interface Call {
    Object with(Object[] args);
  }

  private ForwardingCalls() {}

  /** All of its methods of this name are the other one. */
  public static <T> T of(Class<T> type, T sound, String name, Call call) {
    Object made =
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type},
            (proxy, method, args) -> {
              if (method.getName().equals(name)) {
                return call.with(args == null ? new Object[0] : args);
              }
              try {
                return method.invoke(sound, args);
              } catch (InvocationTargetException e) {
                throw Objects.requireNonNull(e.getCause());
              }
            });
    return type.cast(made);
  }
}
