package io.reactivetransfer.spring;

import io.reactivetransfer.config.PropertyCheck;
import java.util.Collection;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationPropertiesBindHandlerAdvisor;
import org.springframework.boot.context.properties.bind.AbstractBindHandler;
import org.springframework.boot.context.properties.bind.BindContext;
import org.springframework.boot.context.properties.bind.BindException;
import org.springframework.boot.context.properties.bind.BindHandler;
import org.springframework.boot.context.properties.bind.BindResult;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.core.convert.ConverterNotFoundException;

/**
 * Refuses properties of engines that are there and blank. Spring would make nothing of a blank file
 * or number: an environment variable would count as not set, and what a file has as misspelt.
 */
final class BlankProperties implements ConfigurationPropertiesBindHandlerAdvisor {

  private static final ConfigurationPropertyName PREFIX =
      ConfigurationPropertyName.of(ReactiveTransferProperties.PREFIX);

  @Override
  public BindHandler apply(BindHandler handler) {
    return new AbstractBindHandler(handler) {
      @Override
      public <T> @Nullable Bindable<T> onStart(
          ConfigurationPropertyName name, Bindable<T> target, BindContext context) {
        if (PREFIX.isAncestorOf(name) && hasOneValue(target) && isBlank(name, context)) {
          String prefix = PREFIX.toString();
          throw new PropertyCheck(prefix).blank(name.toString().substring(prefix.length() + 1));
        }
        return super.onStart(name, target, context);
      }
    };
  }

  /**
   * Others may be empty, as a list without anything in YAML is; lists of NICs say so themselves.
   */
  private static boolean hasOneValue(Bindable<?> target) {
    Class<?> type = target.getType().resolve(Object.class);
    return !Map.class.isAssignableFrom(type)
        && !Collection.class.isAssignableFrom(type)
        && !type.getPackageName().equals(BlankProperties.class.getPackageName());
  }

  /**
   * As it is when placeholders have been replaced. A value may be an object already, such as a path
   * that a test has set, of which no text can be made.
   */
  private static boolean isBlank(ConfigurationPropertyName name, BindContext context) {
    try {
      BindResult<String> text = context.getBinder().bind(name, Bindable.of(String.class));
      return text.isBound() && text.get().isBlank();
    } catch (BindException | ConverterNotFoundException _) {
      return false; // what is wrong with it is found when it is bound as what it is
    }
  }
}
