/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.cli.client;

import com.fasterxml.jackson.databind.JsonNode;
import dev.baton.cli.command.CliException;
import dev.baton.protocol.json.TextShortener;
import dev.baton.protocol.trace.RunId;
import java.util.Locale;
import java.util.regex.Pattern;

/** A run as typed: its id, or its last six characters. Not case-sensitive. */
public record RunRef(String text) {
  private static final Pattern DISPLAY = Pattern.compile("[0-9a-hjkmnp-tv-z]{6}");

  /**
   * @throws CliException when the text is neither
   */
  public static RunRef parse(String text) {
    String lower = text.strip().toLowerCase(Locale.ROOT);
    if (!RunId.isValid(lower) && !DISPLAY.matcher(lower).matches()) {
      throw CliException.usage(
          "'%s' is not a run id: give all 26 characters, or the last six as `baton status` shows them"
              .formatted(TextShortener.shorten(text, 64)));
    }
    return new RunRef(lower);
  }

  public boolean isFull() {
    return RunId.isValid(text);
  }

  /** Fetches the run from the server; fails for unknown and ambiguous ids. */
  public JsonNode fetch(OrchestratorRestClient client) {
    return client.get("/runs/" + text);
  }

  /** Returns the full id; requests it from the server if only the display id is given. */
  public String id(OrchestratorRestClient client) {
    return isFull() ? text : fetch(client).path("id").asText();
  }
}
