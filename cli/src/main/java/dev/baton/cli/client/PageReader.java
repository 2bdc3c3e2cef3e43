/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.cli.client;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.baton.cli.command.CliException;
import dev.baton.protocol.json.Json;
import java.util.function.Supplier;

/** Reads lists that the server returns in pages. */
public final class PageReader {
  private static final int PAGE = 1000;
  private static final int MOST = 100_000;

  private PageReader() {}

  /**
   * @throws CliException when the limit is not 1 to 100,000
   */
  public static void check(int limit) {
    if (limit < 1 || limit > MOST) {
      throw CliException.usage("--limit " + limit + " is not 1 to " + MOST);
    }
  }

  /**
   * Merges the pages into one, with {@code next_cursor} if there are more entries.
   *
   * @param name of the list in a page
   * @param limit maximum number of entries
   * @param query creates the start of each page's path
   */
  public static JsonNode read(
      OrchestratorRestClient client, String name, int limit, Supplier<UrlQueryBuilder> query) {
    ObjectNode all = Json.mapper().createObjectNode();
    ArrayNode entries = all.putArray(name);
    String cursor = null;
    do {
      JsonNode page =
          client.get(
              query
                  .get()
                  .with("limit", Math.min(PAGE, limit - entries.size()))
                  .with("cursor", cursor)
                  .toString());
      page.path(name).forEach(entries::add);
      cursor = page.path("next_cursor").asText("");
    } while (!cursor.isEmpty() && entries.size() < limit);
    if (!cursor.isEmpty()) {
      all.put("next_cursor", cursor);
    }
    return all;
  }
}
