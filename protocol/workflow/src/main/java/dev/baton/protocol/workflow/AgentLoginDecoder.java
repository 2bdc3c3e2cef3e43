/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.workflow;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/** Decodes {@code gateway} and {@code login} of agent steps. */
final class AgentLoginDecoder {
  private static final Map<String, Boolean> GATEWAY = Map.of("on", true, "off", false);
  private static final Pattern VARIABLE = Pattern.compile("[A-Za-z_][A-Za-z0-9_]{0,199}");
  private static final Pattern PROVIDER_MODEL = Pattern.compile("(?s)[^/]+/.+");
  private static final String MODEL = "PROVIDER/MODEL, such as anthropic/claude-sonnet-4-5";
  private static final int MAX_VARIABLES = 20;
  private static final int MAX_NAME = 200;

  private final DefinitionValueDecoder values;

  AgentLoginDecoder(DefinitionValueDecoder values) {
    this.values = values;
  }

  /**
   * Returns the variables of the agent's own login; empty where it uses the gateway.
   *
   * @param use agent of the step; empty where it is missing or wrong
   * @param model of the step; empty where it is missing or wrong
   */
  Optional<List<String>> login(MappingFieldReader fields, String use, Optional<String> model) {
    boolean gateway = fields.choice("gateway", GATEWAY).orElse(true);
    if (gateway) {
      fields.refuse(
          "login", "an agent that uses the gateway has no login of its own", "gateway: off");
      return Optional.empty();
    }
    if (!use.isEmpty() && !StepKind.Agent.USES_WITHOUT_GATEWAY.contains(use)) {
      fields.refuse(
          "gateway",
          "the agent '%s' cannot run without the gateway".formatted(use),
          "'off' with " + String.join(", ", StepKind.Agent.USES_WITHOUT_GATEWAY) + " only");
    }
    fields
        .get("interactive")
        .filter(at -> values.flag(at).orElse(false))
        .ifPresent(
            at ->
                values
                    .problems()
                    .error(
                        at,
                        "an agent on a screen is held at its boundaries by the gateway",
                        "with 'gateway: on'"));
    if (use.equals("opencode")) {
      requireProvider(fields, model);
    }
    fields.refuse(
        "interrupted",
        "without the gateway a resumed agent makes other calls than before, so that 'interrupted' has no effect",
        "with 'gateway: on'");
    fields
        .get("tools")
        .flatMap(at -> MappingFieldReader.of(at, values, "allow, deny"))
        .ifPresent(
            tools -> {
              for (String key : List.of("ask", "timeout")) {
                tools.refuse(
                    key,
                    "without the gateway a run cannot wait for a decision on a call, so that '%s' has no effect"
                        .formatted(key),
                    "with 'gateway: on'");
              }
            });
    if (fields.get("login").isEmpty()) {
      fields.missing(
          "login", "login: the variables of the runner with the agent's own login, as a list");
    }
    return Optional.of(
        fields
            .get("login")
            .map(
                at ->
                    values.oneOrMore(
                        at,
                        MAX_VARIABLES,
                        "variables",
                        "names of 1 to " + MAX_VARIABLES + " variables, or a single one"))
            .orElse(List.of())
            .stream()
            .flatMap(item -> variable(item).stream())
            .toList());
  }

  private void requireProvider(MappingFieldReader fields, Optional<String> model) {
    Optional<DefinitionCursor> place = fields.get("model");
    if (place.isEmpty()) {
      fields.missing("model", "model: " + MODEL);
    } else if (model.isPresent() && !PROVIDER_MODEL.matcher(model.get()).matches()) {
      values
          .problems()
          .error(
              place.get(),
              "'%s' names no provider, which the agent 'opencode' needs without the gateway"
                  .formatted(model.get()),
              MODEL);
    }
  }

  private Optional<String> variable(DefinitionCursor place) {
    Optional<String> name = values.text(place, MAX_NAME);
    if (name.isPresent()
        && (!VARIABLE.matcher(name.get()).matches() || name.get().startsWith("BATON_"))) {
      values
          .problems()
          .error(
              place,
              "'" + name.get() + "' is not the name of a variable with a login",
              "letters, digits and _, such as CLAUDE_CODE_OAUTH_TOKEN; not BATON_…");
      return Optional.empty();
    }
    return name;
  }
}
