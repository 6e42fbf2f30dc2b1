package io.reactivetransfer.examples.spring;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.context.properties.ConfigurationPropertiesScan;

/** One node. The starter opens its engine, as application.yaml says. */
@SpringBootApplication(proxyBeanMethods = false)
@ConfigurationPropertiesScan
public class NodeApplication {

  /** Starts a node. Which one, says {@code --spring.profiles.active=a}. */
  public static void main(String[] args) {
    SpringApplication.run(NodeApplication.class, args);
  }
}
