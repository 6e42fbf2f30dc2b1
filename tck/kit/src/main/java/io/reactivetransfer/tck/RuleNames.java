package io.reactivetransfer.tck;

import java.lang.reflect.Method;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayNameGenerator;

/** Shows {@code r2_3_claimsAreServedInOrder} as "2.3 claims are served in order". */
final class RuleNames extends DisplayNameGenerator.Standard {

  private static final Pattern RULE = Pattern.compile("r(\\d+)_(\\d+)_(\\w+)");

  /** By JUnit. */
  RuleNames() {}

  @Override
  public String generateDisplayNameForMethod(
      List<Class<?>> enclosing, Class<?> testClass, Method method) {
    String name = of(method);
    return name == null ? super.generateDisplayNameForMethod(enclosing, testClass, method) : name;
  }

  /** The number of the rule that a method checks, and its name in words; null if it checks none. */
  static @Nullable String of(Method method) {
    Matcher rule = RULE.matcher(method.getName());
    if (!rule.matches()) {
      return null;
    }
    String words =
        rule.group(3)
            .replaceAll("(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", " ")
            .toLowerCase(Locale.ROOT);
    return rule.group(1) + "." + rule.group(2) + " " + words;
  }
}
