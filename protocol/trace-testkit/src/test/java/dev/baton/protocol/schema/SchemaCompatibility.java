/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.schema;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Finds the changes of a JSON Schema that break programs written for an earlier version of it: a
 * removed field, a field that becomes required or ceases to be, another type, a removed enum value
 * or alternative, a limit that was not there. New optional fields break nothing.
 */
final class SchemaCompatibility {
  private static final List<String> LIMITS =
      List.of(
          "const",
          "format",
          "pattern",
          "minimum",
          "maximum",
          "minLength",
          "maxLength",
          "minItems",
          "maxItems",
          "$ref");

  private SchemaCompatibility() {}

  /** Returns each breaking change with the pointer of its place; empty when there are none. */
  static List<String> breaking(JsonNode recorded, JsonNode current) {
    List<String> changes = new ArrayList<>();
    compare("", recorded, current, changes);
    return changes;
  }

  private static void compare(String at, JsonNode was, JsonNode is, List<String> changes) {
    if (was.isMissingNode()) {
      return;
    }
    if (!was.path("type").equals(is.path("type"))) {
      changes.add(at + ": type " + was.path("type") + " became " + is.path("type"));
    }
    for (String limit : LIMITS) {
      if (is.has(limit) && !is.path(limit).equals(was.path(limit))) {
        changes.add(at + ": " + limit + " " + was.path(limit) + " became " + is.path(limit));
      }
    }
    compareEnums(at, was.path("enum"), is.path("enum"), changes);
    compareRequired(at, texts(was.path("required")), texts(is.path("required")), changes);
    if (is.path("additionalProperties").isBoolean()
        && !is.path("additionalProperties").asBoolean()
        && !was.path("additionalProperties").equals(is.path("additionalProperties"))) {
      changes.add(at + ": unknown fields are no longer allowed");
    }
    was.path("properties")
        .fieldNames()
        .forEachRemaining(
            name -> {
              String field = at + "/" + name;
              if (!is.path("properties").has(name)) {
                changes.add(field + ": removed");
                return;
              }
              compare(
                  field,
                  was.path("properties").path(name),
                  is.path("properties").path(name),
                  changes);
            });
    for (String nested : List.of("items", "additionalProperties")) {
      if (was.path(nested).isObject()) {
        compare(at + "/" + nested, was.path(nested), is.path(nested), changes);
      }
    }
    for (String choice : List.of("oneOf", "anyOf", "allOf")) {
      for (int i = 0; i < was.path(choice).size(); i++) {
        String branch = at + "/" + choice + "/" + i;
        if (is.path(choice).path(i).isMissingNode()) {
          changes.add(branch + ": removed");
        } else {
          compare(branch, was.path(choice).path(i), is.path(choice).path(i), changes);
        }
      }
    }
  }

  private static void compareEnums(String at, JsonNode was, JsonNode is, List<String> changes) {
    if (is.isMissingNode()) {
      return;
    }
    if (was.isMissingNode()) {
      changes.add(at + ": only " + is + " is allowed now");
      return;
    }
    Set<String> gone = texts(was);
    gone.removeAll(texts(is));
    gone.forEach(value -> changes.add(at + ": value '" + value + "' removed"));
  }

  private static void compareRequired(
      String at, Set<String> was, Set<String> is, List<String> changes) {
    for (String name : is) {
      if (!was.contains(name)) {
        changes.add(at + "/" + name + ": required now");
      }
    }
    for (String name : was) {
      if (!is.contains(name)) {
        changes.add(at + "/" + name + ": no longer required, so readers can miss it");
      }
    }
  }

  private static Set<String> texts(JsonNode list) {
    Set<String> texts = new HashSet<>();
    list.forEach(value -> texts.add(value.asText()));
    return texts;
  }
}
