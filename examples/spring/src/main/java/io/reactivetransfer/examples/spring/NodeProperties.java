package io.reactivetransfer.examples.spring;

import java.time.Duration;
import java.util.Map;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.util.unit.DataSize;

/**
 * What application.yaml says under {@code node}.
 *
 * @param name what this node is called on its page
 * @param peers where the engines of the other nodes are, as host:port as they say it themselves, by
 *     the names of the nodes
 * @param writeSize of each write, and so of the memory that each peer may write to here; the same
 *     on all nodes
 * @param writeInterval between two writes to each peer
 */
@ConfigurationProperties("node")
public record NodeProperties(
    String name, Map<String, String> peers, DataSize writeSize, Duration writeInterval) {}
