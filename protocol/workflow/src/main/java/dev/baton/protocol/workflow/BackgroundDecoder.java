/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.workflow;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;
import java.util.Optional;

/** Decodes the rules of an agent step for processes in the background. */
record BackgroundDecoder(DefinitionValueDecoder values) {
  private static final List<String> KEYS = List.of("match", "restart");

  private static final String ALLOWED =
      "1 to %d rules, such as {match: \"npm run dev*\"}".formatted(BackgroundRule.MAX_RULES);

  List<BackgroundRule> rules(MappingFieldReader fields) {
    return fields
        .get("background")
        .map(place -> values.oneOrMore(place, BackgroundRule.MAX_RULES, "rules", ALLOWED))
        .orElse(List.of())
        .stream()
        .flatMap(item -> rule(item).stream())
        .toList();
  }

  private Optional<BackgroundRule> rule(DefinitionCursor item) {
    Optional<MappingFieldReader> found =
        MappingFieldReader.of(item, values, String.join(", ", KEYS));
    if (found.isEmpty()) {
      return Optional.empty();
    }
    MappingFieldReader keys = found.get();
    keys.allowOnly(KEYS);
    keys.require("match", "match: a pattern of the command, such as npm run dev*");
    Optional<String> match =
        keys.text("match", BackgroundRule.MAX_PATTERN).filter(text -> isPattern(text, keys));
    boolean restart = keys.get("restart").map(this::isRestarted).orElse(true);
    return match.map(pattern -> new BackgroundRule(pattern, restart));
  }

  private boolean isPattern(String text, MappingFieldReader keys) {
    if (!text.isBlank()) {
      return true;
    }
    values
        .problems()
        .error(
            keys.get("match").orElse(keys.place()),
            "an empty pattern matches no command",
            "a pattern of the command, such as npm run dev*");
    return false;
  }

  private boolean isRestarted(DefinitionCursor place) {
    JsonNode value = place.node().toJson();
    if (!value.isBoolean()) {
      values.problems().error(place, value + " is neither true nor false", "true, false");
    }
    return value.asBoolean(true);
  }
}
