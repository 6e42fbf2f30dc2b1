package io.reactivetransfer.spring;

import io.reactivetransfer.config.PropertySource;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.BeanWrapper;
import org.springframework.beans.PropertyAccessorFactory;
import org.springframework.util.StringUtils;
import org.springframework.util.unit.DataSize;

/** The properties of one engine that Spring Boot has bound, by the names that they have there. */
final class BoundProperties implements PropertySource {

  private final EngineProperties its;
  private final BeanWrapper bean;

  BoundProperties(EngineProperties its) {
    this.its = its;
    this.bean = PropertyAccessorFactory.forBeanPropertyAccess(its);
  }

  /** What is called {@code peer-depth} is the bean's {@code peerDepth}. */
  private @Nullable Object value(String name) {
    StringBuilder property = new StringBuilder();
    for (String word : name.split("-", -1)) {
      property.append(property.isEmpty() ? word : StringUtils.capitalize(word));
    }
    return bean.getPropertyValue(property.toString());
  }

  @Override
  public @Nullable String text(String name) {
    Object value = value(name);
    return value == null ? null : value.toString();
  }

  @Override
  public @Nullable Integer number(String name) {
    return (Integer) value(name);
  }

  @Override
  public @Nullable Long bytes(String name) {
    DataSize size = (DataSize) value(name);
    return size == null ? null : size.toBytes();
  }

  @Override
  public @Nullable Duration duration(String name) {
    return (Duration) value(name);
  }

  @Override
  public @Nullable Path file(String name) {
    return (Path) value(name);
  }

  @Override
  public boolean flag(String name) {
    return Boolean.TRUE.equals(value(name));
  }

  /** The only ones that there are. */
  @Override
  public Map<String, List<String>> lists(String name) {
    return its.getDeviceNics();
  }
}
