package io.reactivetransfer.tcp;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.util.Arrays;
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
          .filter(chapters -> !Arrays.asList(chapters.value()).contains(nested.getSimpleName()))
          .map(_ -> ConditionEvaluationResult.disabled("not of the chapters that are asked for"))
          .orElseGet(() -> ConditionEvaluationResult.enabled("one of them"));
    }
  }
}
