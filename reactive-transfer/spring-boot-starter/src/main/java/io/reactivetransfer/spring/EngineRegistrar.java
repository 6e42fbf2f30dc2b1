package io.reactivetransfer.spring;

import io.reactivetransfer.TransferEngine;
import io.reactivetransfer.config.EngineConfigurationException;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.springframework.beans.BeanUtils;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.beans.factory.support.AutowireCandidateQualifier;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.context.annotation.ImportBeanDefinitionRegistrar;
import org.springframework.core.env.Environment;
import org.springframework.core.type.AnnotationMetadata;

/**
 * Defines a bean for each engine that the properties name. A definition has the name of the engine
 * as its qualifier, which cannot collide with names of other beans, and is made by {@link Engines}.
 */
final class EngineRegistrar implements ImportBeanDefinitionRegistrar {

  /** What stands behind the name of an engine in the name of its bean. */
  static final String SUFFIX = "TransferEngine";

  private static final String ENGINES = "engines";

  /**
   * What a property of an engine is called, without dashes and in small letters: to Spring, system
   * properties of backends, such as {@code reactivetransfer.libfabric.host}, have the same prefix.
   */
  private static final Set<String> OF_AN_ENGINE =
      Stream.of(BeanUtils.getPropertyDescriptors(EngineProperties.class))
          .map(property -> property.getName().toLowerCase(Locale.ROOT))
          .collect(Collectors.toUnmodifiableSet());

  private final Environment environment;

  EngineRegistrar(Environment environment) {
    this.environment = environment;
  }

  @Override
  public void registerBeanDefinitions(AnnotationMetadata source, BeanDefinitionRegistry registry) {
    Set<String> names = names();
    for (String name : names) {
      RootBeanDefinition engine = new RootBeanDefinition();
      engine.setTargetType(TransferEngine.class);
      engine.setFactoryBeanName(Engines.BEAN);
      engine.setFactoryMethodName("open");
      engine.getConstructorArgumentValues().addIndexedArgumentValue(0, name);
      engine.addQualifier(new AutowireCandidateQualifier(Qualifier.class, name));
      engine.setPrimary(names.size() == 1 || name.equals(ReactiveTransferProperties.DEFAULT_NAME));
      engine.setLazyInit(false); // opening blocks, which not every thread may that uses it first
      engine.setDescription("engine '" + name + "' of reactive-transfer");
      registry.registerBeanDefinition(name + SUFFIX, engine);
    }
  }

  /** As they are written; what the engines are set to is looked at when they are opened. */
  private Set<String> names() {
    Map<String, Object> all =
        Binder.get(environment)
            .bind(ReactiveTransferProperties.PREFIX, Bindable.mapOf(String.class, Object.class))
            .orElseGet(Map::of);
    Set<String> names = new TreeSet<>();
    if (all.get(ENGINES) instanceof Map<?, ?> named) {
      named.keySet().forEach(name -> names.add(String.valueOf(name)));
    }
    if ((all.keySet().stream().anyMatch(EngineRegistrar::isOfAnEngine) || isBackendSet())
        && !names.add(ReactiveTransferProperties.DEFAULT_NAME)) {
      throw new EngineConfigurationException(
          ReactiveTransferProperties.PREFIX + ".engines.default",
          "expected one engine called 'default', got one by its name and one whose properties"
              + " stand without a name",
          null);
    }
    return names;
  }

  /** A map does not see the environment variable {@code REACTIVE_TRANSFER_BACKEND}. */
  private boolean isBackendSet() {
    return Binder.get(environment)
        .bind(ReactiveTransferProperties.PREFIX + ".backend", String.class)
        .isBound();
  }

  private static boolean isOfAnEngine(String property) {
    return OF_AN_ENGINE.contains(property.replace("-", "").toLowerCase(Locale.ROOT));
  }
}
