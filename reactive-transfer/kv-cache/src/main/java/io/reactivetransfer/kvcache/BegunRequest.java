package io.reactivetransfer.kvcache;

import io.reactivetransfer.TraceContext;

/** What a recorder is told of a request that waits from now on. */
record BegunRequest(KvPrefill prefill, KvRequest request, TraceContext traceContext)
    implements KvRecorder.RequestBegin {}
