package io.reactivetransfer.architecture;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaFieldAccess;
import com.tngtech.archunit.core.domain.JavaModifier;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The rooms of the engine, from the lowest up: each knows those below it, and none above. */
abstract class RoomsRules {

  /** In the order in which they stand on each other. */
  enum Room {
    BASE("io.reactivetransfer.engine.base"),
    PEERS("io.reactivetransfer.engine.peers"),
    MEMORY("io.reactivetransfer.engine.memory"),
    ORIGIN("io.reactivetransfer.engine.origin"),
    TARGET("io.reactivetransfer.engine.target"),
    TURN("io.reactivetransfer.engine");

    final String name;

    Room(String name) {
      this.name = name;
    }

    /** All that stand on it. */
    String[] above() {
      return List.of(values()).subList(ordinal() + 1, values().length).stream()
          .map(room -> room.name)
          .toArray(String[]::new);
    }
  }

  @ParameterizedTest
  @EnumSource
  void knowsNoneAbove(Room room) {
    noClasses()
        .that()
        .resideInAPackage(room.name)
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage(room.above())
        .check(Production.CLASSES);
  }

  /** What is written and what arrives meet nowhere but in the turn. */
  @Test
  void targetKnowsNothingOfOrigin() {
    noClasses()
        .that()
        .resideInAPackage(Room.TARGET.name)
        .should()
        .dependOnClassesThat()
        .resideInAPackage(Room.ORIGIN.name)
        .check(Production.CLASSES);
  }

  /** Not even fields that change are looked at from another room. */
  @ParameterizedTest
  @EnumSource
  void keepsItsFieldsThatChange(Room room) {
    noClasses()
        .that()
        .resideOutsideOfPackage(room.name)
        .should()
        .accessFieldWhere(
            describe(
                "changing, of " + room.name,
                (JavaFieldAccess access) ->
                    access.getTargetOwner().getPackageName().equals(room.name)
                        && !access
                            .getTarget()
                            .resolveMember()
                            .orElseThrow()
                            .getModifiers()
                            .contains(JavaModifier.FINAL)))
        .check(Production.CLASSES);
  }

  @Test
  void areAllThereIs() {
    assertThat(
            Production.in(Layer.ENGINE).stream()
                .map(JavaClass::getPackageName)
                .collect(Collectors.toSet()))
        .containsExactlyInAnyOrder(
            List.of(Room.values()).stream().map(room -> room.name).toArray(String[]::new));
  }
}
