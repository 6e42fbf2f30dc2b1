package io.reactivetransfer.examples.snippets;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.reactivetransfer.ClusterSecret;
import io.reactivetransfer.TransferEngine;
import io.reactivetransfer.engine.TransferEngineBuilder;
import io.reactivetransfer.ibverbs.IbverbsBackend;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.invoke.MethodHandle;
import java.nio.file.Path;

/** The lines of docs/backends/ibverbs.md, so that they are compiled. */
abstract class IbverbsSnippets {

  abstract void release(MethodHandle free, MemorySegment memory);

  TransferEngine engine() {
    IbverbsBackend backend =
        IbverbsBackend.builder()
            .host("10.0.0.7")
            .secret(ClusterSecret.ofFile(Path.of("/etc/cluster.secret")))
            .build();
    TransferEngine engine = TransferEngineBuilder.create().backend(backend).open().block();
    return engine;
  }

  @SuppressWarnings("restricted") // the page says so of all native calls
  boolean hugePages(long bytes, Arena arena) throws Throwable {
    Linker linker = Linker.nativeLinker();
    SymbolLookup c = linker.defaultLookup();
    MethodHandle alignedAlloc =
        linker.downcallHandle(
            c.findOrThrow("aligned_alloc"), FunctionDescriptor.of(ADDRESS, JAVA_LONG, JAVA_LONG));
    MethodHandle madvise =
        linker.downcallHandle(
            c.findOrThrow("madvise"),
            FunctionDescriptor.of(JAVA_INT, ADDRESS, JAVA_LONG, JAVA_INT));
    MethodHandle free =
        linker.downcallHandle(c.findOrThrow("free"), FunctionDescriptor.ofVoid(ADDRESS));

    MemorySegment raw = (MemorySegment) alignedAlloc.invokeExact(2L << 20, bytes);
    MemorySegment memory = raw.reinterpret(bytes, arena, each -> release(free, each));
    int refused = (int) madvise.invokeExact(memory, bytes, 14);
    memory.fill((byte) 0);
    return refused == 0;
  }
}
