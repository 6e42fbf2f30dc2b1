package io.reactivetransfer.examples.snippets;

import io.reactivetransfer.TransferEngine;
import org.springframework.stereotype.Service;

/** The lines of docs/spring-boot.md, so that they are compiled. */
abstract class SpringBootSnippets {

  @Service
  class Pages {
    private final TransferEngine engine;

    Pages(TransferEngine engine) {
      this.engine = engine;
    }
  }
}
