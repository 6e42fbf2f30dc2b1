package io.reactivetransfer.ibverbs;

import java.util.List;
import java.util.OptionalInt;

/**
 * What a backend was built with.
 *
 * @param devices the names of those to use, such as {@code mlx5_0} or, for one of several ports,
 *     {@code mlx5_0/2}, or for one of several addresses {@code mlx5_0@10.0.0.7}; empty for all
 * @param gidIndex of the own address in the table of each port; empty for the best
 * @param timing how long is waited for acknowledgements
 * @param priority of packets
 */
record VerbsSettings(
    List<String> devices, OptionalInt gidIndex, AckTiming timing, Priority priority) {

  VerbsSettings {
    devices = List.copyOf(devices);
  }
}
