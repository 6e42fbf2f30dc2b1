package io.reactivetransfer.examples.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.abort;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.stream.Stream;
import org.openqa.selenium.By;
import org.openqa.selenium.OutputType;
import org.openqa.selenium.chrome.ChromeDriver;
import org.openqa.selenium.chrome.ChromeDriverService;
import org.openqa.selenium.chrome.ChromeOptions;
import org.openqa.selenium.logging.LogEntry;
import org.openqa.selenium.logging.LogType;
import org.openqa.selenium.logging.LoggingPreferences;

/** A real browser, without a window, with one page of the example. */
final class Browser implements AutoCloseable {

  private static final Duration PATIENCE = Duration.ofSeconds(30);

  /**
   * It warns that it knows no commands of a browser so new. It need not: those used here are old.
   */
  private static final Logger SELENIUM = Logger.getLogger("org.openqa.selenium");

  private final ChromeDriver driver;

  private Browser(ChromeDriver driver) {
    this.driver = driver;
  }

  /** Skips the test where there is none, unless no test may be skipped. */
  static Browser open(String test) {
    Optional<Path> chromium = program("chromium");
    Optional<Path> chromedriver = program("chromedriver");
    if (chromium.isEmpty() || chromedriver.isEmpty()) {
      String why =
          "no browser is available: expected chromium and chromedriver on the PATH;"
              + " apt-get install chromium chromium-driver";
      if (Boolean.getBoolean("reactivetransfer.requireAll")) {
        fail(why + "; skipping it is forbidden by -DrequireAll");
      }
      System.err.println(test + " is skipped: " + why);
      abort(why);
    }
    SELENIUM.setLevel(Level.SEVERE);
    LoggingPreferences all = new LoggingPreferences();
    all.enable(LogType.BROWSER, Level.ALL);
    ChromeOptions options = new ChromeOptions();
    options.setBinary(chromium.orElseThrow().toFile());
    options.setCapability(ChromeOptions.LOGGING_PREFS, all);
    // Chromium's own sandbox refuses root, and containers have little shared memory.
    options.addArguments(
        "--headless=new",
        "--no-sandbox",
        "--disable-dev-shm-usage",
        "--disable-gpu",
        "--disable-extensions",
        "--disable-background-networking",
        "--disable-renderer-backgrounding",
        "--no-first-run",
        "--window-size=1000,860");
    ChromeDriverService service =
        new ChromeDriverService.Builder()
            .usingDriverExecutable(chromedriver.orElseThrow().toFile())
            .usingAnyFreePort()
            .build();
    return new Browser(new ChromeDriver(service, options));
  }

  private static Optional<Path> program(String name) {
    return Stream.of(System.getenv("PATH").split(File.pathSeparator))
        .map(folder -> Path.of(folder, name))
        .filter(Files::isExecutable)
        .findFirst();
  }

  void show(SampleNode node) {
    driver.get(node.page().toString());
  }

  /** What one place of the page says. */
  String text(String selector) {
    return driver.findElements(By.cssSelector(selector)).stream()
        .map(found -> found.getText())
        .findFirst()
        .orElse("");
  }

  /** A figure of the page, without its unit. */
  double figure(String selector) {
    return Double.parseDouble(text(selector).replaceAll(" .*", ""));
  }

  /** What a column says of a node. */
  static String cell(String node, String column) {
    return "tr[data-node='" + node + "'] td[data-label='" + column + "'] span";
  }

  void awaitText(String selector, String text) {
    await().atMost(PATIENCE).until(() -> text(selector), text::equals);
  }

  /** Keeps all that one place of the page says from now on: a busy machine asks too seldom. */
  void watch(String selector) {
    driver.executeScript(
        """
        const place = document.querySelector(arguments[0]);
        window.seen = [];
        new MutationObserver(() => window.seen.push(place.textContent))
            .observe(place, {childList: true, characterData: true, subtree: true});
        """,
        selector);
  }

  /** All that the place that is watched has said. */
  List<String> seen() {
    return ((List<?>) driver.executeScript("return window.seen"))
        .stream().map(String::valueOf).toList();
  }

  void click(String selector) {
    driver.findElement(By.cssSelector(selector)).click();
  }

  Object run(String script) {
    return driver.executeScript(script);
  }

  /** As a telephone has it, in CSS pixels. */
  void narrow(int width) {
    driver.executeCdpCommand(
        "Emulation.setDeviceMetricsOverride",
        Map.of("width", width, "height", 800, "deviceScaleFactor", 1, "mobile", true));
  }

  void prefer(String scheme) {
    driver.executeCdpCommand(
        "Emulation.setEmulatedMedia",
        Map.of("features", List.of(Map.of("name", "prefers-color-scheme", "value", scheme))));
  }

  byte[] picture() {
    return driver.getScreenshotAs(OutputType.BYTES);
  }

  /** Nothing is in the console of the browser, such as an error of the script. */
  void assertNoComplaint() {
    List<LogEntry> entries = driver.manage().logs().get(LogType.BROWSER).getAll();
    assertThat(entries).as("the browser's console").isEmpty();
  }

  @Override
  public void close() {
    driver.quit();
  }
}
