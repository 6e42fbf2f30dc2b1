package io.reactivetransfer.tools.perf;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.util.DefaultIndenter;
import com.fasterxml.jackson.core.util.DefaultPrettyPrinter;
import io.reactivetransfer.tools.Gpus;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** The figures for other programs: an array with an object for each size. */
final class JsonFile {

  private JsonFile() {}

  static void write(Path file, List<Result> results) throws IOException {
    DefaultPrettyPrinter lines = new DefaultPrettyPrinter();
    lines.indentArraysWith(DefaultIndenter.SYSTEM_LINEFEED_INSTANCE);
    try (OutputStream out = Files.newOutputStream(file);
        JsonGenerator json = new JsonFactory().createGenerator(out).setPrettyPrinter(lines)) {
      json.writeStartArray();
      for (Result result : results) {
        write(json, result);
      }
      json.writeEndArray();
    }
  }

  private static void write(JsonGenerator json, Result result) throws IOException {
    Plan plan = result.plan();
    json.writeStartObject();
    json.writeStringField("backend", plan.backend());
    json.writeStringField("provider", plan.provider());
    json.writeStringField("op", plan.op().toString());
    json.writeNumberField("size", result.layout().size());
    json.writeNumberField("pages", plan.parts());
    json.writeNumberField("outstanding", plan.outstanding());
    json.writeNumberField("memoryBytes", result.layout().bytes());
    json.writeNumberField("nics", plan.nics());
    json.writeStringField("device", plan.device().toString());
    json.writeStringField("deviceIs", plan.inHostMemory() ? null : Gpus.describe(plan.device()));
    json.writeNumberField("opsPerSecond", result.ours().operationsPerSecond());
    json.writeNumberField("bytesPerSecond", result.bytesPerSecond());
    json.writeNumberField("p50Micros", result.ours().p50Micros());
    json.writeNumberField("p99Micros", result.ours().p99Micros());
    json.writeNumberField("p999Micros", result.ours().p999Micros());
    json.writeNumberField("cpuSecondsPerGB", result.cpuSecondsPerGB());
    json.writeNumberField("allocatedBytesPerOp", result.ours().allocatedPerOperation());
    writeReference(json, result);
    json.writeEndObject();
  }

  private static void writeReference(JsonGenerator json, Result result) throws IOException {
    Result.Medians reference = result.reference();
    if (reference == null) {
      json.writeNullField("reference");
      json.writeNullField("referenceOpsPerSecond");
      json.writeNullField("referenceBytesPerSecond");
      json.writeNullField("ratio");
    } else {
      json.writeStringField("reference", String.valueOf(Reference.of(result.plan())));
      json.writeNumberField("referenceOpsPerSecond", reference.operationsPerSecond());
      json.writeNumberField("referenceBytesPerSecond", result.referenceBytesPerSecond());
      json.writeNumberField("ratio", result.ratio());
    }
  }
}
