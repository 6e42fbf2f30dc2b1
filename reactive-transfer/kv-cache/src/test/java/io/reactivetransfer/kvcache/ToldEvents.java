package io.reactivetransfer.kvcache;

import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** A recorder that keeps what it is told, of the node and of each order and request. */
final class ToldEvents implements KvRecorder {

  /** What was told. */
  final List<String> names = new CopyOnWriteArrayList<>();

  final List<OrderBegin> orderBegins = new CopyOnWriteArrayList<>();
  final List<RequestBegin> requestBegins = new CopyOnWriteArrayList<>();
  final List<OrderEnd> orders = new CopyOnWriteArrayList<>();
  final List<RequestEnd> requests = new CopyOnWriteArrayList<>();
  final List<QueueEnd> waits = new CopyOnWriteArrayList<>();

  /** What was told of each operation that has ended, by the object that was told that it begins. */
  final List<List<Object>> operations = new CopyOnWriteArrayList<>();

  @Override
  public void opened(KvCache cache) {
    names.add("opened");
  }

  @Override
  public void closed(KvCache cache) {
    names.add("closed");
  }

  @Override
  public void decodeOpened(KvDecode decode) {
    names.add("decodeOpened");
  }

  @Override
  public void decodeClosed(KvDecode decode) {
    names.add("decodeClosed");
  }

  @Override
  public void prefillOpened(KvPrefill prefill) {
    names.add("prefillOpened");
  }

  @Override
  public OrderRecorder orderBegun(OrderBegin begin) {
    names.add("orderBegun");
    orderBegins.add(begin);
    return new OrderRecorder() {
      @Override
      public void ended(OrderEnd end) {
        orders.add(end);
        operations.add(Arrays.asList(begin, end));
        names.add("orderEnded");
      }

      @Override
      public void pagesBack() {
        names.add("pagesBack");
      }
    };
  }

  @Override
  public RequestRecorder requestQueued(RequestBegin begin) {
    names.add("requestQueued");
    requestBegins.add(begin);
    return new RequestRecorder() {
      @Override
      public void dequeued(QueueEnd end) {
        waits.add(end);
        names.add("requestDequeued");
      }

      @Override
      public void ended(RequestEnd end) {
        requests.add(end);
        operations.add(Arrays.asList(begin, end));
        names.add("requestEnded");
      }
    };
  }

  @Override
  public void requestRejected(KvCache cache) {
    names.add("requestRejected");
  }
}
