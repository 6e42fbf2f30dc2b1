package io.reactivetransfer.tools.soak;

import io.reactivetransfer.TransferEngine;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;

/** A side in this process: its engines, by the pair that they belong to. */
final class Host implements Side {

  static final String OPEN = "open";
  static final String RUN = "run";
  static final String CLOSE = "close";
  static final String SAMPLE = "sample";

  private final Plan plan;
  private final int side;
  private final Opener opener;
  private final Tally tally = new Tally();
  private final Map<String, Node> nodes = new ConcurrentHashMap<>();

  /** Where engines come from. */
  interface Opener {
    /** Opens one with so many NICs. */
    TransferEngine open(int nics);
  }

  Host(Plan plan, int side, Opener opener) {
    this.plan = plan;
    this.side = side;
    this.opener = opener;
  }

  @Override
  public String ask(String line) throws InterruptedException {
    String[] words = line.split(" ", 3);
    return switch (words[0]) {
      case OPEN -> open(words[1], Task.of(words[2]));
      case RUN -> {
        node(words[1]).run(words[2]);
        yield "";
      }
      case CLOSE -> {
        Node node = node(words[1]);
        nodes.remove(words[1]);
        node.close();
        yield "";
      }
      case SAMPLE -> Sample.now(tally).toLine();
      default -> throw new IllegalArgumentException("expected a question, got " + line);
    };
  }

  private String open(String lane, Task task) throws InterruptedException {
    Node node = new Node(plan, task, side, opener.open(task.nics()), tally);
    nodes.put(lane, node);
    return node.greeting();
  }

  private Node node(String lane) {
    return Objects.requireNonNull(nodes.get(lane), "an engine that is open");
  }

  /** After a failure engines may still be open. */
  @Override
  public void close() {
    nodes.values().forEach(Node::abandon);
    nodes.clear();
  }
}
