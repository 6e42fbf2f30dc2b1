// SPDX-License-Identifier: Apache-2.0
#include "graphs.h"

#include <stdlib.h>

#include "calls.h"
#include "contexts.h"
#include "handles.h"
#include "streams.h"

enum { LONGEST = 64 };

struct CUgraph_st {
  bool is_alive;
  bool is_made_since_reset;
  size_t count;
  struct operation operations[LONGEST];
};

// What is instantiated is a copy.
struct CUgraphExec_st {
  struct CUgraph_st graph;
};

static struct handles graphs = HANDLES(struct CUgraph_st, 4096);
static struct handles execs = HANDLES(struct CUgraphExec_st, 4096);

static bool is_live(struct handles *handles, const void *handle) {
  return handles_have(handles, handle) && ((const struct CUgraph_st *)handle)->is_alive;
}

static CUresult destroy(struct handles *handles, void *handle) {
  if (!is_live(handles, handle)) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  ((CUgraph)handle)->is_alive = false;
  return CUDA_SUCCESS;
}

CUresult graph_add(CUgraph graph, const struct operation *operation) {
  bool is_word = operation->kind == WRITE_WORD || operation->kind == AWAIT_WORD;
  bool is_copy = operation->kind == COPY && !operation->staged && operation->to.kind != PAGEABLE;
  if (!is_word && !is_copy && operation->kind != SET) {
    free(operation->staged);
    return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
  }
  if (graph->count == LONGEST) {
    return CUDA_ERROR_OUT_OF_MEMORY;
  }
  graph->operations[graph->count++] = *operation;
  return CUDA_SUCCESS;
}

static void *add(struct handles *handles) {
  CUgraph added = handles_add(handles);
  if (added) {
    added->is_alive = true;
    added->is_made_since_reset = true;
  }
  return added;
}

CUgraph graph_create(void) { return add(&graphs); }

void graph_drop(CUgraph graph) { graph->is_alive = false; }

API cuGraphInstantiateWithFlags(CUgraphExec *exec, CUgraph graph, unsigned long long flags) {
  BEGIN(NEEDS_CONTEXT);
  (void)flags;
  if (!is_live(&graphs, graph)) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  CUgraphExec added = add(&execs);
  if (!added) {
    return CUDA_ERROR_OUT_OF_MEMORY;
  }
  added->graph = *graph;
  added->graph.is_made_since_reset = true;
  *exec = added;
  return CUDA_SUCCESS;
}

API cuGraphLaunch(CUgraphExec exec, CUstream handle) {
  BEGIN(NEEDS_CONTEXT);
  if (!is_live(&execs, exec)) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  CUstream stream;
  TRY(stream_find(handle, &stream));
  for (size_t i = 0; i < exec->graph.count; i++) {
    TRY(stream_submit(stream, &exec->graph.operations[i], NULL));
  }
  return CUDA_SUCCESS;
}

API cuGraphExecDestroy(CUgraphExec exec) {
  BEGIN(NEEDS_CONTEXT);
  return destroy(&execs, exec);
}

API cuGraphDestroy(CUgraph graph) {
  BEGIN(NEEDS_CONTEXT);
  return destroy(&graphs, graph);
}

static int64_t live(struct handles *handles) {
  int64_t live = 0;
  for (size_t i = 0; i < handles->count; i++) {
    CUgraph graph = handles_at(handles, i);
    live += graph->is_alive && graph->is_made_since_reset;
  }
  return live;
}

int64_t graphs_live(void) { return live(&graphs) + live(&execs); }

static void reset(struct handles *handles) {
  for (size_t i = 0; i < handles->count; i++) {
    CUgraph graph = handles_at(handles, i);
    graph->is_made_since_reset = false;
  }
}

void graphs_reset(void) {
  reset(&graphs);
  reset(&execs);
}
