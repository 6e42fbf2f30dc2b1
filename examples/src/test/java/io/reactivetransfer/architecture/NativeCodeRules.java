package io.reactivetransfer.architecture;

import static com.tngtech.archunit.core.domain.JavaAccess.Predicates.target;
import static com.tngtech.archunit.core.domain.properties.HasName.Predicates.nameMatching;
import static com.tngtech.archunit.core.domain.properties.HasOwner.Predicates.With.owner;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.lang.syntax.elements.GivenClassesConjunction;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.GroupLayout;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.PaddingLayout;
import java.lang.foreign.SequenceLayout;
import java.lang.foreign.StructLayout;
import java.lang.foreign.SymbolLookup;
import java.lang.foreign.UnionLayout;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Native calls and the layouts of native structures are written in the ffi packages only. */
abstract class NativeCodeRules {

  @ParameterizedTest
  @ValueSource(
      classes = {
        Linker.class,
        SymbolLookup.class,
        FunctionDescriptor.class,
        GroupLayout.class,
        StructLayout.class,
        UnionLayout.class,
        SequenceLayout.class,
        PaddingLayout.class
      })
  void isWrittenInFfiPackages(Class<?> type) {
    elsewhere().should().dependOnClassesThat().areAssignableTo(type).check(Production.CLASSES);
  }

  @Test
  void layoutsAreMadeInFfiPackages() {
    elsewhere()
        .should()
        .accessTargetWhere(
            target(owner(nameMatching(MemoryLayout.class.getName())))
                .and(target(nameMatching(".*Layout"))))
        .check(Production.CLASSES);
  }

  private static GivenClassesConjunction elsewhere() {
    return noClasses().that().resideOutsideOfPackage("..ffi..");
  }
}
