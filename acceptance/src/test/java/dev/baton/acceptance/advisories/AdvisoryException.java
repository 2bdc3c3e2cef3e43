/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.acceptance.advisories;

import com.fasterxml.jackson.databind.JsonNode;
import dev.baton.protocol.json.Json;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.List;

/**
 * A finding that is accepted for some time.
 *
 * @param name of the library, as {@code group:artifact}
 * @param expires the last day on which it is accepted
 */
record AdvisoryException(String id, String name, String reason, LocalDate expires) {
  AdvisoryException {
    if (id.isBlank() || name.isBlank() || reason.isBlank()) {
      throw new IllegalArgumentException("an exception needs id, name, reason and expires");
    }
  }

  static List<AdvisoryException> readAll(Path file) throws IOException {
    List<AdvisoryException> exceptions = new ArrayList<>();
    for (JsonNode entry : Json.tree(Files.readAllBytes(file))) {
      for (JsonNode name : entry.path("names")) {
        exceptions.add(
            new AdvisoryException(
                entry.path("id").asText(),
                name.asText(),
                entry.path("reason").asText(),
                LocalDate.parse(entry.path("expires").asText())));
      }
    }
    return exceptions;
  }
}
