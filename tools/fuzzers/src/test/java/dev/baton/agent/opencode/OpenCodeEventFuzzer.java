/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.agent.opencode;

import com.fasterxml.jackson.databind.JsonNode;
import dev.baton.fuzz.JsonLines;

/** Events of OpenCode's server, one in each line. */
public final class OpenCodeEventFuzzer {
  private OpenCodeEventFuzzer() {}

  public static void events(byte[] input) {
    OpenCodeEventReader reader = new OpenCodeEventReader(event -> {});
    reader.main("ses_1");
    for (JsonNode line : JsonLines.read(input)) {
      reader.happened(line.path("type").asText(), line.path("properties"));
    }
    reader.finalText();
  }
}
