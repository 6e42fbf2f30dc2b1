package io.reactivetransfer.spring;

import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.UnboundConfigurationPropertiesException;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.core.annotation.Order;

/**
 * Says which properties there are not, without their values, which Spring Boot's own would show:
 * one may be a secret whose name was misspelt. Asked before that one.
 */
@Order(0)
final class MisspeltPropertyFailureAnalyzer
    extends AbstractFailureAnalyzer<UnboundConfigurationPropertiesException> {

  private static final ConfigurationPropertyName PREFIX =
      ConfigurationPropertyName.of(ReactiveTransferProperties.PREFIX);

  @Override
  protected @Nullable FailureAnalysis analyze(
      Throwable root, UnboundConfigurationPropertiesException failure) {
    List<ConfigurationProperty> ours =
        failure.getUnboundProperties().stream()
            .filter(property -> PREFIX.isAncestorOf(property.getName()))
            .toList();
    if (ours.isEmpty()) {
      return null;
    }
    return new FailureAnalysis(
        ours.stream()
            .map(property ->
                "There is no property " + property.getName() + " (" + property.getOrigin() + ").")
            .collect(Collectors.joining(System.lineSeparator())),
        "Correct its name: docs/spring-boot.md of reactive-transfer lists all properties.",
        failure);
  }
}
