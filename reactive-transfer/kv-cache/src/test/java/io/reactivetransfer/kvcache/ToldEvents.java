package io.reactivetransfer.kvcache;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** A recorder that keeps what it is told. */
final class ToldEvents implements KvRecorder {

  /** The names of the methods that were called. */
  final List<String> names = new CopyOnWriteArrayList<>();

  final List<OrderEnd> orders = new CopyOnWriteArrayList<>();
  final List<RequestEnd> requests = new CopyOnWriteArrayList<>();
  final List<QueueEnd> waits = new CopyOnWriteArrayList<>();

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
  public void prefillOpened(KvPrefill prefill) {
    names.add("prefillOpened");
  }

  @Override
  public void orderBegun(KvDecode decode) {
    names.add("orderBegun");
  }

  @Override
  public void orderEnded(KvDecode decode, OrderEnd end) {
    orders.add(end);
    names.add("orderEnded");
  }

  @Override
  public void pagesBack(KvDecode decode) {
    names.add("pagesBack");
  }

  @Override
  public void requestQueued(KvPrefill prefill) {
    names.add("requestQueued");
  }

  @Override
  public void requestDequeued(KvPrefill prefill, QueueEnd end) {
    waits.add(end);
    names.add("requestDequeued");
  }

  @Override
  public void requestEnded(KvPrefill prefill, RequestEnd end) {
    requests.add(end);
    names.add("requestEnded");
  }

  @Override
  public void requestRejected(KvCache cache) {
    names.add("requestRejected");
  }
}
