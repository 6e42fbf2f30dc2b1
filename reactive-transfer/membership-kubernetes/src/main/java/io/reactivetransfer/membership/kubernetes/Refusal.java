package io.reactivetransfer.membership.kubernetes;

import io.fabric8.kubernetes.client.KubernetesClientException;
import io.reactivetransfer.membership.MembershipException;
import java.net.HttpURLConnection;

/**
 * What the API server has refused in a way that looks like a mistake in the configuration. That is
 * final only as long as nothing has succeeded: later it may be that roles are being changed.
 */
final class Refusal {

  private Refusal() {}

  static boolean isRefusal(Throwable failure) {
    return switch (code(failure)) {
      case HttpURLConnection.HTTP_UNAUTHORIZED,
          HttpURLConnection.HTTP_FORBIDDEN,
          HttpURLConnection.HTTP_NOT_FOUND ->
          true;
      default -> false;
    };
  }

  static MembershipException of(ServiceQuery query, Throwable failure) {
    return new MembershipException(
        "expected to list and watch the EndpointSlices of %s, got %s; %s"
            .formatted(query, what(failure), toDo(query, code(failure))),
        failure);
  }

  private static String what(Throwable failure) {
    for (Throwable each = failure; each != null; each = each.getCause()) {
      if (each instanceof KubernetesClientException answer && answer.getCode() > 0) {
        String said = answer.getStatus() == null ? null : answer.getStatus().getMessage();
        return answer.getCode() + " (" + (said == null ? answer.getMessage() : said) + ")";
      }
    }
    return failure.toString();
  }

  private static String toDo(ServiceQuery query, int code) {
    return switch (code) {
      case HttpURLConnection.HTTP_UNAUTHORIZED ->
          "look at the token or the certificate that the client has";
      case HttpURLConnection.HTTP_FORBIDDEN ->
          ("see that there is a namespace %s, and bind the client's service account to a Role in it"
                  + " with the rule apiGroups: [discovery.k8s.io], resources: [endpointslices],"
                  + " verbs: [list, watch]")
              .formatted(query.namespace());
      case HttpURLConnection.HTTP_NOT_FOUND ->
          ("see that there is a namespace %s, that the client's address is that of an API server,"
                  + " and that this is Kubernetes 1.21 or later, which has discovery.k8s.io/v1")
              .formatted(query.namespace());
      default -> "look at the set-up of the client";
    };
  }

  private static int code(Throwable failure) {
    for (Throwable each = failure; each != null; each = each.getCause()) {
      if (each instanceof KubernetesClientException answer && answer.getCode() > 0) {
        return answer.getCode();
      }
    }
    return 0;
  }
}
