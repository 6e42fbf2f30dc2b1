package io.reactivetransfer.spring;

import io.reactivetransfer.TransferEngine;
import java.util.LinkedHashMap;
import java.util.Map;
import org.springframework.beans.factory.ListableBeanFactory;

/** All engines that are beans, whoever defines them, by their names. */
final class NamedEngines {

  private NamedEngines() {}

  static Map<String, TransferEngine> of(ListableBeanFactory beans) {
    Map<String, TransferEngine> named = new LinkedHashMap<>();
    beans
        .getBeansOfType(TransferEngine.class)
        .forEach((bean, engine) -> named.put(nameOf(bean), engine));
    return named;
  }

  /** The bean {@code decodeTransferEngine} is the engine {@code decode}. */
  private static String nameOf(String bean) {
    String suffix = EngineRegistrar.SUFFIX;
    return bean.endsWith(suffix) && bean.length() > suffix.length()
        ? bean.substring(0, bean.length() - suffix.length())
        : bean;
  }
}
