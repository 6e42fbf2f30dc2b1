package io.reactivetransfer.spring;

import io.reactivetransfer.TransferEngine;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.scope.ScopedProxyUtils;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.BeanFactoryUtils;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;

/**
 * The engines that are beans, whoever defines them, by their names: those of this context and of
 * the ones that it stands in. One that is lazy is among them once it was made for somebody; those
 * of which each user has another one never are, nor what a test has put in the place of one and
 * which knows nothing of itself, such as a mock. Asked anew each time.
 */
final class NamedEngines implements Supplier<Map<String, TransferEngine>> {

  private final ListableBeanFactory beans;

  NamedEngines(ListableBeanFactory beans) {
    this.beans = beans;
  }

  @Override
  public Map<String, TransferEngine> get() {
    List<String> names =
        List.of(
            BeanFactoryUtils.beanNamesForTypeIncludingAncestors(
                beans, TransferEngine.class, false, false));
    Map<String, TransferEngine> named = new LinkedHashMap<>();
    for (String bean : names) {
      if (isMade(beans, bean) && !beans.containsBean(ScopedProxyUtils.getTargetBeanName(bean))) {
        TransferEngine engine = beans.getBean(bean, TransferEngine.class);
        String name = nameOf(bean);
        if (knowsItself(engine)) {
          named.put(names.contains(name) ? bean : name, engine);
        }
      }
    }
    return named;
  }

  /** What an engine says it is and has, a mock says nothing of until it is told to. */
  private static boolean knowsItself(TransferEngine engine) {
    return Stream.<@Nullable Object>of(
            engine.id(), engine.backend(), engine.address(), engine.stats(), engine.onClose())
        .allMatch(Objects::nonNull);
  }

  /** Or will be at any rate. */
  private static boolean isMade(@Nullable BeanFactory beans, String bean) {
    if (!(beans instanceof ConfigurableListableBeanFactory here)) {
      return beans != null;
    }
    if (!here.containsLocalBean(bean)) {
      return isMade(here.getParentBeanFactory(), bean);
    }
    return here.containsSingleton(bean)
        || (here.containsBeanDefinition(bean) && !here.getBeanDefinition(bean).isLazyInit());
  }

  /** The bean {@code decodeTransferEngine} is the engine {@code decode}. */
  private static String nameOf(String bean) {
    String suffix = EngineRegistrar.SUFFIX;
    return bean.endsWith(suffix) && bean.length() > suffix.length()
        ? bean.substring(0, bean.length() - suffix.length())
        : bean;
  }
}
