/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.agent.acp;

import com.fasterxml.jackson.databind.JsonNode;
import dev.baton.fuzz.JsonLines;

/** Updates of an ACP session, one in each line. */
public final class AcpUpdateFuzzer {
  private AcpUpdateFuzzer() {}

  public static void updates(byte[] input) {
    AcpEventReader reader = new AcpEventReader(event -> {});
    for (JsonNode line : JsonLines.read(input)) {
      if (!reader.updated(line)) {
        reader.asked(line);
      }
    }
    reader.flush();
    reader.finalText();
  }
}
