package io.reactivetransfer.kvcache;

import reactor.util.context.ContextView;

/** What a recorder is told of an order that begins. */
record BegunOrder(KvDecode decode, KvOrder order, ContextView context)
    implements KvRecorder.OrderBegin {}
