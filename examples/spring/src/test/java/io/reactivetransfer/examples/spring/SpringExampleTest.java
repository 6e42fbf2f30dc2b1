package io.reactivetransfer.examples.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.reactivetransfer.examples.spring.SampleNode.Health;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;

/** Two nodes as a user starts them, and what they say of each other. */
@TestMethodOrder(MethodOrderer.OrderAnnotation.class) // the last one ends both
class SpringExampleTest {

  private static final List<SampleNode> PAIR = SampleNode.pair();
  private static final SampleNode A = PAIR.get(0);
  private static final SampleNode B = PAIR.get(1);
  private static final Health ALIVE = new Health(200, "{\"status\":\"UP\"}");

  /** The longest that health may take to show it; where little else goes on it is under 1 s. */
  private static final Duration AFTER_A_KILL = Duration.ofSeconds(10);

  private static final String STATE = Browser.cell("b", "State");
  private static final String TO_B = Browser.cell("b", "Written to it");
  private static final String IN_FLIGHT_TO_B = Browser.cell("b", "In flight to it");
  private static final String BY_B = Browser.cell("b", "Written by it");

  /** The page of the first one; none where there is no browser. */
  private static @Nullable Browser open;

  @BeforeAll
  static void startBoth() throws Exception {
    A.start();
    B.start();
  }

  @BeforeEach
  void bothAreUp() {
    A.awaitUp();
    B.awaitUp();
  }

  @AfterAll
  static void close() {
    if (open != null) {
      open.close();
    }
    PAIR.forEach(SampleNode::close);
  }

  @Test
  @Order(1)
  void thePageShowsWhatGoesOn() throws Exception {
    Browser browser = Browser.open("SpringExampleTest.thePageShowsWhatGoesOn");
    open = browser;
    browser.show(A);
    browser.awaitText("#health", "UP");
    browser.awaitText("#name", "a");
    browser.awaitText(Browser.cell("a", "Address"), A.engine());
    browser.awaitText(Browser.cell("b", "Address"), B.engine());
    browser.awaitText(STATE, "alive");
    awaitFlow(browser, TO_B, true);
    awaitFlow(browser, BY_B, true);

    browser.click("#pause");
    browser.awaitText("#pause", "Let node a write");
    awaitFlow(browser, TO_B, false);
    awaitFlow(browser, BY_B, true);
    browser.click("#pause");
    browser.awaitText("#pause", "Pause the writes of node a");
    awaitFlow(browser, TO_B, true);
    Files.write(Path.of("target/page.png"), browser.picture());

    isReadableEverywhere(browser);

    browser.watch(IN_FLIGHT_TO_B);
    B.signal("STOP");
    browser.awaitText(STATE, "lost");
    assertThat(browser.seen())
        .as("the window bounds what is in flight")
        .anyMatch(text -> writes(text) > 0)
        .allMatch(text -> writes(text) <= 16);
    awaitFlow(browser, TO_B, false);
    B.signal("CONT");
    browser.awaitText(STATE, "alive");
    browser.awaitText("#health", "UP");
    awaitFlow(browser, TO_B, true);
    awaitFlow(browser, BY_B, true);
  }

  /** A page that is open says so, too, and ends with its node. */
  @Test
  @Order(3)
  void thePeerThatWasKilledIsNamed() throws Exception {
    assertThatHealthNamesItWhenItIsKilled();
    Browser browser = open;
    if (browser != null) {
      assertThatThePageNamesIt(browser);
    }
  }

  // In a usual build the other node is stopped and goes on, above, and HealthTest of the starter
  // has one that comes back.
  @Test
  @Order(2)
  @Tag("nightly")
  void healthIsGoodAgainWhenThePeerIsBack() throws Exception {
    assertThatHealthNamesItWhenItIsKilled();
    B.start();
    assertThat(A.awaitUp().body())
        .contains("\"" + B.engine() + "\":\"UP\"")
        .doesNotContain("reason");
    assertThat(A.health("/readiness").status()).isEqualTo(200);
    assertThat(A.health("/liveness")).isEqualTo(ALIVE);
  }

  /** And with it readiness, but not liveness: nobody is to restart a node for that. */
  private static void assertThatHealthNamesItWhenItIsKilled() throws Exception {
    long killed = System.nanoTime();
    B.kill();
    Health down = A.awaitDownWithout(B);
    assertThat(Duration.ofNanos(System.nanoTime() - killed))
        .as("from the SIGKILL of %s until %s of %s", B.engine(), down, A.engine())
        .isLessThanOrEqualTo(AFTER_A_KILL);
    assertThat(down.body())
        .contains("\"" + B.engine() + "\":\"DOWN\"")
        .containsPattern("\"reason\":\"peer " + B.engine() + " is not there: [^\"]+\"");
    assertThat(A.health("/readiness").status()).isEqualTo(503);
    assertThat(A.health("/liveness")).isEqualTo(ALIVE);
  }

  private static void assertThatThePageNamesIt(Browser browser) throws Exception {
    browser.awaitText(STATE, "lost");
    browser.awaitText("#health", "DOWN");
    assertThat(browser.text("#reason")).contains("peer " + B.engine() + " is not there: ");
    assertThat(browser.text(STATE + ".more")).isNotEmpty();
    browser.assertNoComplaint();

    assertThat(A.stop())
        .as("a stop does not wait for the events of a page that is open")
        .isLessThan(Duration.ofSeconds(25));
    await()
        .atMost(Duration.ofSeconds(30))
        .until(() -> browser.text("#connection"), text -> text.startsWith("No connection"));
  }

  private static int writes(String text) {
    return Integer.parseInt(text.replace(" writes", ""));
  }

  private static void awaitFlow(Browser browser, String figure, boolean flows) {
    await()
        .atMost(Duration.ofSeconds(30))
        .until(() -> browser.figure(figure), rate -> flows == rate > 0);
  }

  private static void isReadableEverywhere(Browser browser) {
    String ground = "return getComputedStyle(document.body).backgroundColor";
    assertThat(browser.run(ground)).hasToString("rgb(255, 255, 255)");
    browser.prefer("dark");
    assertThat(browser.run(ground)).hasToString("rgb(13, 17, 23)");
    browser.narrow(320);
    assertThat(browser.run("return document.documentElement.scrollWidth"))
        .as("width of the page in a window of 320")
        .isEqualTo(320L);
  }
}
