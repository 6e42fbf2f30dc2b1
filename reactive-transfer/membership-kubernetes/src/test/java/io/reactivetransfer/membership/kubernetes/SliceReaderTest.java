package io.reactivetransfer.membership.kubernetes;

import static io.reactivetransfer.membership.kubernetes.Slices.node;
import static io.reactivetransfer.membership.kubernetes.Slices.pod;
import static io.reactivetransfer.membership.kubernetes.Slices.slice;
import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.discovery.v1.Endpoint;
import io.fabric8.kubernetes.api.model.discovery.v1.EndpointBuilder;
import io.fabric8.kubernetes.api.model.discovery.v1.EndpointSlice;
import io.reactivetransfer.HostPort;
import io.reactivetransfer.fuzz.CapturedLog;
import io.reactivetransfer.membership.Node;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What of a slice is a node, and what is none. */
class SliceReaderTest {

  private static final SlicePort ENGINE = new SlicePort("engine", 0);

  private static SliceReader reader(SlicePort port, AddressType type, EndpointState state) {
    return new SliceReader(
        new ServiceQuery("llm", "prefill", "prefill", port, type, state, Duration.ZERO));
  }

  private static List<Node> nodes(EndpointSlice slice) {
    return reader(ENGINE, null, EndpointState.READY).read(slice).stream().map(Found::node).toList();
  }

  /** Empty fields are conditions that are not said. */
  @ParameterizedTest
  @CsvSource({
    "true,  true,  false, READY SERVING ANY",
    "false, false, false, ANY",
    "false, true,  true,  SERVING ANY",
    "false, false, true,  ANY",
    "true,  true,  true,  READY SERVING ANY",
    "     ,      ,      , READY SERVING ANY",
    "false,      ,      , ANY",
    "     , false,      , READY ANY"
  })
  void conditionsDecideWhatIsANode(
      Boolean isReady, Boolean isServing, Boolean isTerminating, String counted) {
    EndpointSlice slice = slice("s", pod("a", "10.0.0.1", isReady, isServing, isTerminating));
    for (EndpointState state : EndpointState.values()) {
      assertThat(reader(ENGINE, null, state).read(slice))
          .as("%s", state)
          .singleElement()
          .matches(found ->
              found.isCounted() == List.of(counted.split(" ")).contains(state.name())
                  && found.isTerminating() == Boolean.TRUE.equals(isTerminating));
    }
  }

  @Test
  void anEndpointWithoutConditionsIsReady() {
    Endpoint bare = new EndpointBuilder().withAddresses("10.0.0.1").build();
    for (EndpointState state : EndpointState.values()) {
      assertThat(reader(ENGINE, null, state).read(slice("s", bare)))
          .singleElement()
          .matches(Found::isCounted);
    }
  }

  @Test
  void aPodGivesItsNameAndWhereItRunsItsLabels() {
    Endpoint endpoint =
        new EndpointBuilder(pod("prefill-0", "10.0.0.1"))
            .withZone("eu-1a")
            .withNodeName("gpu-7")
            .build();
    assertThat(nodes(slice("s", endpoint)))
        .containsExactly(
            node("prefill-0", "10.0.0.1").withLabel("zone", "eu-1a").withLabel("node", "gpu-7"));
  }

  @Test
  void whatIsNoPodIsNamedByItsAddress() {
    Endpoint bare = new EndpointBuilder().withAddresses("fd00::1", "fd00::2").build();
    assertThat(nodes(slice("s", "IPv6", "prefill", bare)))
        .containsExactly(Node.of("[fd00::1]:7400", "prefill", new HostPort("fd00::1", 7400)));
  }

  @Test
  void aPortIsFoundByItsNameOrGivenByItsNumber() {
    EndpointSlice slice = slice("s", pod("a", "10.0.0.1"));
    assertThat(reader(new SlicePort("metrics", 0), null, EndpointState.READY).read(slice))
        .singleElement()
        .matches(found -> found.node().address().port() == 9090);
    EndpointSlice without = slice("s", pod("a", "10.0.0.1"));
    without.setPorts(null);
    assertThat(reader(new SlicePort(null, 1234), null, EndpointState.READY).read(without))
        .singleElement()
        .matches(found -> found.node().address().port() == 1234);
    assertThat(nodes(without)).isEmpty();
  }

  @Test
  void onlyTheTypeOfAddressThatIsWantedIsTaken() {
    SliceReader six = reader(ENGINE, AddressType.IPV6, EndpointState.READY);
    assertThat(six.read(slice("s", pod("a", "10.0.0.1")))).isEmpty();
    assertThat(six.read(slice("s", "IPv6", "prefill", pod("a", "fd00::1")))).hasSize(1);
    assertThat(nodes(slice("s", "carrier pigeon", "prefill", pod("a", "10.0.0.1")))).isEmpty();
  }

  @Test
  void whatIsNoNodeIsPassedOverAndTheOthersAreNot() {
    Endpoint empty = new EndpointBuilder().build();
    assertThat(nodes(slice("s", empty, pod("no/name", "10.0.0.2"), pod("a", "10.0.0.1"))))
        .containsExactly(node("a", "10.0.0.1"));
    EndpointSlice bare = slice("s");
    bare.setEndpoints(null);
    assertThat(nodes(bare)).isEmpty();
  }

  @Test
  void aFieldThatIsMissingIsNoNodeEither() {
    EndpointSlice odd = slice("s", pod("a", "10.0.0.1"));
    odd.getEndpoints().add(null);
    try (CapturedLog log = new CapturedLog()) {
      assertThat(nodes(odd)).containsExactly(node("a", "10.0.0.1"));
      assertThat(log.lines("is no node, and is passed over")).hasSize(1);
    }
  }

  @Test
  void whoWantsATypeOfAddressThatNoSliceHasIsToldWhichThereAreOnce() {
    SliceReader six = reader(ENGINE, AddressType.IPV6, EndpointState.READY);
    try (CapturedLog log = new CapturedLog()) {
      six.warnOfTypes();
      assertThat(log.lines("addressType")).isEmpty();
      six.read(slice("s", pod("a", "10.0.0.1")));
      six.warnOfTypes();
      six.warnOfTypes();
      assertThat(log.lines("with addressType IPV6, got only [IPv4]")).hasSize(1);
    }
  }

  @Test
  void whoGetsTheTypeThatHeWantsIsToldNothingOfOthers() {
    SliceReader six = reader(ENGINE, AddressType.IPV6, EndpointState.READY);
    try (CapturedLog log = new CapturedLog()) {
      six.read(slice("s", pod("a", "10.0.0.1")));
      six.read(slice("t", "IPv6", "prefill"));
      six.warnOfTypes();
      assertThat(log.lines("addressType")).isEmpty();
    }
  }

  @Test
  void aSliceThatWasEmptyMeanwhileIsWarnedOfAgain() {
    SliceReader reader = reader(ENGINE, null, EndpointState.READY);
    EndpointSlice bad = slice("s", pod("no/name", "10.0.0.2"));
    try (CapturedLog log = new CapturedLog()) {
      reader.read(bad);
      reader.read(bad);
      reader.read(slice("s"));
      reader.read(bad);
      assertThat(log.lines("is no node, and is passed over")).hasSize(2);
    }
  }
}
