package io.reactivetransfer.spring;

import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.BeanFactoryAware;
import org.springframework.beans.factory.config.DestructionAwareBeanPostProcessor;
import org.springframework.beans.factory.config.SingletonBeanRegistry;
import org.springframework.core.Ordered;
import org.springframework.core.PriorityOrdered;

/**
 * Closes engines before any bean is destroyed that was made after them, and may own memory: where a
 * start has failed, nothing is stopped before beans are destroyed, and where a stop takes longer
 * than its phase may, it is not waited for.
 */
final class CloseBeforeDestruction
    implements DestructionAwareBeanPostProcessor, BeanFactoryAware, PriorityOrdered {

  private final AtomicBoolean begun = new AtomicBoolean();
  private volatile @Nullable SingletonBeanRegistry singletons;
  private volatile @Nullable Engines engines;

  /** Of these engines. */
  void of(Engines made) {
    engines = made;
  }

  @Override
  public void setBeanFactory(BeanFactory beans) {
    singletons = beans instanceof SingletonBeanRegistry registry ? registry : null;
  }

  /** Before those that call methods of a bean which it names for its destruction. */
  @Override
  public int getOrder() {
    return Ordered.HIGHEST_PRECEDENCE;
  }

  /** What is made when the context has started lives shorter than it does, such as a request. */
  @Override
  public boolean requiresDestruction(Object bean) {
    Engines its = engines;
    return its != null && bean != its && !its.isRunning();
  }

  /** Blocks until engines are closed, once. */
  @Override
  public void postProcessBeforeDestruction(Object bean, String name) {
    Engines its = engines;
    if (its != null
        && !its.isRunning()
        && isSingleton(bean, name)
        && begun.compareAndSet(false, true)) {
      its.destroy();
    }
  }

  /** An object that somebody has destroyed which is no bean says nothing about the context. */
  @SuppressWarnings("ReferenceEquality") // an equal bean is another one
  private boolean isSingleton(Object bean, String name) {
    SingletonBeanRegistry registry = singletons;
    return registry != null && registry.getSingleton(name) == bean;
  }
}
