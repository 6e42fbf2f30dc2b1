package io.reactivetransfer.spring;

import java.util.Locale;
import org.springframework.boot.actuate.endpoint.SanitizableData;
import org.springframework.boot.actuate.endpoint.SanitizingFunction;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.context.annotation.Bean;

/** Keeps secrets of engines out of endpoints that show properties, whatever else those show. */
@AutoConfiguration
@ConditionalOnClass(SanitizingFunction.class)
public final class SecretsAutoConfiguration {

  SecretsAutoConfiguration() {}

  @Bean
  static SanitizingFunction reactiveTransferSecrets() {
    return data -> isSecret(data) ? data.withSanitizedValue() : data;
  }

  /** Environment variables are written in another way, but with the same letters. */
  private static boolean isSecret(SanitizableData data) {
    String letters = data.getKey().toLowerCase(Locale.ROOT).replaceAll("[^a-z]", "");
    return letters.startsWith("reactivetransfer")
        && letters.endsWith("secret")
        && !letters.endsWith("withoutsecret");
  }
}
