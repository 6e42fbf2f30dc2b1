package io.reactivetransfer.tck;

import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
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

/**
 * On a class that extends {@link TransferConformance}: runs only some chapters of the kit. For
 * further configurations of a backend that has one class which runs all of it: with encryption,
 * over another network, between two processes. The other chapters show as skipped.
 *
 * <pre>{@code
 * @Chapters({"Visibility", "LostPeer", "Message"})
 * class MySecureConformanceTest extends MyConformanceTest {}
 * }</pre>
 */
@Inherited
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@ExtendWith(Chapters.Only.class)
public @interface Chapters {

  /**
   * System property that, if {@code true}, runs all chapters where {@link #unlessAll()} says so, as
   * a nightly build does.
   */
  String ALL = "reactivetransfer.tck.all";

  /**
   * The chapters that run, by the names under which they show in the report of a run: of the
   * classes nested in {@link TransferConformance}, as {@code Visibility}. All, if none is named. A
   * name that the kit does not have fails the class.
   */
  String[] value() default {};

  /** Of these, the ones that are left out. */
  String[] except() default {};

  /** Whether the others would hold as well, and are left out only because they take their time. */
  boolean unlessAll() default false;

  /** Leaves out the other chapters. */
  final class Only implements ExecutionCondition {

    /** For JUnit. */
    public Only() {}

    @Override
    public ConditionEvaluationResult evaluateExecutionCondition(ExtensionContext context) {
      Class<?> nested = context.getRequiredTestClass();
      return context
          .getParent()
          .flatMap(ExtensionContext::getTestClass)
          .flatMap(outer -> AnnotationSupport.findAnnotation(outer, Chapters.class))
          .filter(chapters -> !names(chapters).contains(nested.getSimpleName()))
          .filter(chapters -> !(chapters.unlessAll() && Boolean.getBoolean(ALL)))
          .map(chapters -> ConditionEvaluationResult.disabled(reason(chapters)))
          .orElseGet(() -> ConditionEvaluationResult.enabled("one of the chapters"));
    }

    private static String reason(Chapters chapters) {
      return chapters.unlessAll()
          ? "left out to save time; -D" + ALL + "=true runs it"
          : "not of the chapters that are asked for";
    }

    private static List<String> names(Chapters chapters) {
      List<String> known =
          Arrays.stream(TransferConformance.class.getDeclaredClasses())
              .map(Class::getSimpleName)
              .toList();
      List<String> named = known(known, chapters.value());
      List<String> left = known(known, chapters.except());
      return (named.isEmpty() ? known : named)
          .stream().filter(name -> !left.contains(name)).toList();
    }

    /** A chapter that the kit does not have would be left out without a word. */
    private static List<String> known(List<String> known, String[] names) {
      List<String> all = List.of(names);
      if (!known.containsAll(all)) {
        throw new IllegalStateException("expected chapters of " + known + ", got " + all);
      }
      return all;
    }
  }
}
