package io.reactivetransfer.ibverbs;

import org.jspecify.annotations.Nullable;

/**
 * Connections by the numbers of their queue pairs, by which each arrival names its own. Open
 * addressing, so that a look makes no object.
 */
final class ConnectionTable {

  private static final int FIRST_SIZE = 16;

  private @Nullable Connection[] table = new Connection[FIRST_SIZE];
  private int size;

  private int place(int number) {
    return ((number * 0x9E3779B9) >>> 7) & (table.length - 1);
  }

  /** The one with this number, or null. */
  @Nullable Connection get(int number) {
    int at = place(number);
    for (Connection found = table[at]; found != null; found = table[at]) {
      if (found.number == number) {
        return found;
      }
      at = (at + 1) & (table.length - 1);
    }
    return null;
  }

  /** A number that a device gives again is that of the later one. */
  void put(Connection connection) {
    Connection before = get(connection.number);
    if (before != null) {
      remove(before);
    }
    if (2 * ++size > table.length) {
      grow();
    }
    insert(connection);
  }

  private void insert(Connection connection) {
    int at = place(connection.number);
    while (table[at] != null) {
      at = (at + 1) & (table.length - 1);
    }
    table[at] = connection;
  }

  private void grow() {
    @Nullable Connection[] before = table;
    table = new Connection[2 * before.length];
    for (Connection each : before) {
      if (each != null) {
        insert(each);
      }
    }
  }

  /** Unless another one has its number by now. */
  @SuppressWarnings("ReferenceEquality") // the very same object
  void remove(Connection connection) {
    if (get(connection.number) != connection) {
      return;
    }
    size--;
    @Nullable Connection[] before = table;
    table = new Connection[before.length];
    for (Connection each : before) {
      if (each != null && each != connection) {
        insert(each);
      }
    }
  }
}
