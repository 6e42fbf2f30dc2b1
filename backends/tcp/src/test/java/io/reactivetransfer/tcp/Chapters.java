package io.reactivetransfer.tcp;

import io.reactivetransfer.tck.TransferConformance;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.extension.ConditionEvaluationResult;
import org.junit.jupiter.api.extension.ExecutionCondition;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.platform.commons.support.AnnotationSupport;

/** Of the conformance kit, only these chapters: the names of the classes that hold their rules. */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@ExtendWith(Chapters.Only.class)
@interface Chapters {

  String[] value();

  /** Leaves out the other chapters. */
  final class Only implements ExecutionCondition {

    @Override
    public ConditionEvaluationResult evaluateExecutionCondition(ExtensionContext context) {
      Class<?> nested = context.getRequiredTestClass();
      return context
          .getParent()
          .flatMap(ExtensionContext::getTestClass)
          .flatMap(outer -> AnnotationSupport.findAnnotation(outer, Chapters.class))
          .filter(chapters -> !names(chapters).contains(nested.getSimpleName()))
          .map(_ -> ConditionEvaluationResult.disabled("not of the chapters that are asked for"))
          .orElseGet(() -> ConditionEvaluationResult.enabled("one of them"));
    }

    /** A chapter that the kit does not have would be left out without a word. */
    private static List<String> names(Chapters chapters) {
      List<String> names = List.of(chapters.value());
      List<String> known =
          Arrays.stream(TransferConformance.class.getDeclaredClasses())
              .map(Class::getSimpleName)
              .toList();
      if (!known.containsAll(names)) {
        throw new IllegalStateException("expected chapters of " + known + ", got " + names);
      }
      return names;
    }
  }
}
