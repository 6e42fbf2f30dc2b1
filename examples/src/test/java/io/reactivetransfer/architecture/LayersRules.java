package io.reactivetransfer.architecture;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

abstract class LayersRules {

  /** A rule about no classes always holds. */
  @ParameterizedTest
  @EnumSource
  void hasClasses(Layer layer) {
    assertThat(Production.in(layer)).as(layer.classes).isNotEmpty();
  }

  @ParameterizedTest
  @EnumSource
  void knowsOnlyWhatItMay(Layer layer) {
    classes()
        .that()
        .resideInAPackage(layer.classes)
        .should()
        .onlyDependOnClassesThat()
        .resideInAnyPackage(layer.allowed())
        .allowEmptyShould(true)
        .check(Production.CLASSES);
  }

  @Test
  void everyClassIsInALayer() {
    classes().should().resideInAnyPackage(Layer.all()).check(Production.CLASSES);
  }
}
