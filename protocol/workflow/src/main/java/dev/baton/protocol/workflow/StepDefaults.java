/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.workflow;

import dev.baton.protocol.expression.Template;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The settings of steps without their own. */
record StepDefaults(
    StepRetryPolicy retry,
    Optional<Duration> timeout,
    Map<String, Template> env,
    Optional<SandboxRule> sandbox) {
  static final StepDefaults NONE =
      new StepDefaults(StepRetryPolicy.NONE, Optional.empty(), Map.of(), Optional.empty());

  static StepDefaults decode(DefinitionCursor place, DefinitionValueDecoder values) {
    return MappingFieldReader.of(place, values, "retry, timeout, env, sandbox")
        .map(
            fields -> {
              fields.allowOnly(List.of("retry", "timeout", "env", "sandbox"));
              return new StepDefaults(
                  fields.get("retry").flatMap(at -> retry(at, values)).orElse(StepRetryPolicy.NONE),
                  fields.duration("timeout", WorkflowDecoder.INSTANT, DurationParser.MAX),
                  ShellVariableDecoder.decode(fields, values),
                  fields.get("sandbox").flatMap(new SandboxDecoder(values)::decode));
            })
        .orElse(NONE);
  }

  /** Decodes {@code 3}, or {@code {max: 3, backoff: 1s, factor: 2, max_backoff: 30s}}. */
  static Optional<StepRetryPolicy> retry(DefinitionCursor place, DefinitionValueDecoder values) {
    StepRetryPolicy none = StepRetryPolicy.NONE;
    if (place.node() instanceof LocatedNode.Scalar) {
      return values
          .integer(place, 0, StepRetryPolicy.LIMIT)
          .map(max -> new StepRetryPolicy(max, none.backoff(), none.factor(), none.maxBackoff()));
    }
    Optional<MappingFieldReader> found =
        MappingFieldReader.of(place, values, "a number, or max, backoff, factor, max_backoff");
    if (found.isEmpty()) {
      return Optional.empty();
    }
    MappingFieldReader fields = found.get();
    fields.allowOnly(List.of("max", "backoff", "factor", "max_backoff"));
    fields.require("max", "max: 0 to " + StepRetryPolicy.LIMIT);
    int max = fields.integer("max", 0, StepRetryPolicy.LIMIT).orElse(0);
    Duration backoff =
        fields.duration("backoff", Duration.ZERO, DurationParser.MAX).orElse(none.backoff());
    double factor = fields.get("factor").map(at -> factor(at, values)).orElse(none.factor());
    // A backoff above the default maximum raises the maximum.
    Duration usual = backoff.compareTo(none.maxBackoff()) > 0 ? backoff : none.maxBackoff();
    Duration maxBackoff =
        fields.duration("max_backoff", Duration.ZERO, DurationParser.MAX).orElse(usual);
    return Optional.of(new StepRetryPolicy(max, backoff, factor, maxBackoff));
  }

  private static double factor(DefinitionCursor place, DefinitionValueDecoder values) {
    if (place.node() instanceof LocatedNode.Scalar scalar
        && scalar.value().isNumber()
        && scalar.value().doubleValue() >= 1
        && scalar.value().doubleValue() <= 10) {
      return scalar.value().doubleValue();
    }
    values
        .problems()
        .error(place, place.node().typeName() + " is not a factor", "a number, 1 to 10");
    return StepRetryPolicy.NONE.factor();
  }
}
