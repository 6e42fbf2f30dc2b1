package io.reactivetransfer.architecture;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.simpleName;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;

/** The code of all modules, without tests and what they share. */
final class Production {

  private static final String SHARED_BY_TESTS = "io.reactivetransfer.fuzz..";

  static final JavaClasses CLASSES =
      new ClassFileImporter()
          .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
          .importPackages("io.reactivetransfer")
          .that(not(simpleName("package-info")).and(not(resideInAPackage(SHARED_BY_TESTS))));

  static JavaClasses in(Layer layer) {
    return CLASSES.that(resideInAPackage(layer.classes));
  }

  private Production() {}
}
