/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.acceptance;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/**
 * A file outside of the system to which a run's steps append what they do.
 *
 * @param gate file for which a step waits
 */
record StepLedger(Path file, Path gate) {
  static StepLedger in(Path folder) throws IOException {
    Path file = Files.createTempFile(folder, "run", ".ledger");
    return new StepLedger(file, folder.resolve(file.getFileName() + ".gate"));
  }

  /** Returns a run's input with both paths. */
  ObjectNode input() {
    return AcceptanceApiClient.JSON
        .createObjectNode()
        .put("ledger", file.toString())
        .put("gate", gate.toString());
  }

  List<String> lines() throws IOException {
    return Files.readAllLines(file);
  }

  void await(String line, Duration bound) {
    Await.until("'" + line + "' is in the ledger", bound, () -> lines().contains(line));
  }

  /** Lets the waiting step continue. */
  void open() throws IOException {
    Files.createFile(gate);
  }
}
