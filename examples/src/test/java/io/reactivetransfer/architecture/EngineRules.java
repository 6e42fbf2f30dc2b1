package io.reactivetransfer.architecture;

import static com.tngtech.archunit.core.domain.JavaAccess.Predicates.target;
import static com.tngtech.archunit.core.domain.properties.HasName.Predicates.nameMatching;
import static com.tngtech.archunit.core.domain.properties.HasOwner.Predicates.With.owner;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import reactor.blockhound.integration.BlockHoundIntegration;

/** What the engine needs from outside it is given: only so can a simulation repeat a run. */
abstract class EngineRules {

  @ParameterizedTest
  @CsvSource({
    "java\\.lang\\.System, nanoTime|currentTimeMillis",
    "java\\.time\\..*, now|system.*|tick.*",
    "java\\.lang\\.Math, random",
    "java\\.util\\.UUID, randomUUID",
    "java\\.util\\.(random\\..*|(Secure|Splittable)?Random), .*",
    "java\\.security\\.SecureRandom, .*",
    "java\\.util\\.concurrent\\.ThreadLocalRandom, .*",
    "java\\.lang\\.foreign\\.(Linker|SymbolLookup), .*"
  })
  void doesNotReachForTimeChanceOrNativeCode(String type, String member) {
    noClasses()
        .that()
        .resideInAPackage(Layer.ENGINE.classes)
        .should()
        .accessTargetWhere(target(owner(nameMatching(type))).and(target(nameMatching(member))))
        .allowEmptyShould(true)
        .check(Production.CLASSES);
  }

  /** Its rooms are packages of their own, which say that they are internal. */
  @Test
  void showsOnlyItsBuilder() {
    classes()
        .that()
        .resideInAPackage("io.reactivetransfer.engine")
        .and()
        .arePublic()
        .and()
        .areTopLevelClasses()
        .and()
        .areNotAssignableTo(BlockHoundIntegration.class) // a service, which is to be public
        .should()
        .haveSimpleName("TransferEngineBuilder")
        .allowEmptyShould(true)
        .check(Production.CLASSES);
  }
}
