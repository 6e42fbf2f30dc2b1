package io.reactivetransfer.spring;

import io.reactivetransfer.Nic;
import io.reactivetransfer.TransferEngine;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Supplier;
import org.springframework.boot.actuate.info.Info;
import org.springframework.boot.actuate.info.InfoContributor;

/** Says which engines there are, over which backend and NICs, and where they are reached. */
final class EngineInfoContributor implements InfoContributor {

  private final Supplier<Map<String, TransferEngine>> engines;

  EngineInfoContributor(Supplier<Map<String, TransferEngine>> engines) {
    this.engines = engines;
  }

  @Override
  public void contribute(Info.Builder builder) {
    Map<String, Object> all = new LinkedHashMap<>();
    engines
        .get()
        .forEach((name, engine) ->
            all.put(
                name,
                Map.of(
                    "backend", engine.backend(),
                    "engine", engine.id().toString(),
                    "address", engine.address().control().toString(),
                    "nics", engine.nics().stream().map(Nic::name).toList())));
    builder.withDetail("reactiveTransfer", all);
  }
}
