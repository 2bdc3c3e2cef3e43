/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.workflow;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** Decodes {@code cut} of agent steps: a word, a period, or {@code {when: condition}}. */
final class AgentCutDecoder {
  private static final String ALLOWED =
      "turn, plan, none, a period such as 10m, or {when: condition over .type and .data}";
  private static final Duration MIN_PERIOD = Duration.ofSeconds(1);
  private static final int MAX_TEXT = 100;

  private final DefinitionValueDecoder values;

  AgentCutDecoder(DefinitionValueDecoder values) {
    this.values = values;
  }

  /** Returns the rule; the default where it is missing or wrong, which is a problem then. */
  AgentCutRule rule(MappingFieldReader fields) {
    return fields.get("cut").flatMap(this::rule).orElse(new AgentCutRule.EachTurn());
  }

  private Optional<AgentCutRule> rule(DefinitionCursor place) {
    if (place.node() instanceof LocatedNode.Members) {
      return MappingFieldReader.of(place, values, ALLOWED)
          .flatMap(
              fields -> {
                fields.allowOnly(List.of("when"));
                fields.require("when", "when: a condition over .type and .data");
                return fields.get("when").flatMap(this::condition);
              });
    }
    Optional<String> text = values.text(place, MAX_TEXT);
    if (text.isEmpty()) {
      return Optional.empty();
    }
    return switch (text.get()) {
      case "turn" -> Optional.of(new AgentCutRule.EachTurn());
      case "none" -> Optional.of(new AgentCutRule.Never());
      case "plan" -> Optional.of(new AgentCutRule.PlanItem());
      default -> {
        if (!Character.isDigit(text.get().isEmpty() ? ' ' : text.get().charAt(0))) {
          values.problems().error(place, "'" + text.get() + "' is not a rule for cuts", ALLOWED);
          yield Optional.empty();
        }
        yield values.duration(place, MIN_PERIOD, DurationParser.MAX).map(AgentCutRule.Period::new);
      }
    };
  }

  /** Its scope is the event alone, so it has no references to steps. */
  private Optional<AgentCutRule> condition(DefinitionCursor place) {
    return values.eventExpression(place).map(AgentCutRule.OnEvent::new);
  }
}
