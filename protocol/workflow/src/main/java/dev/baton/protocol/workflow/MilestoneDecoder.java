/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.workflow;

import dev.baton.protocol.expression.Template;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Decodes the {@code milestone} of a step. */
final class MilestoneDecoder {
  private static final int MAX_TITLE = 200;
  private static final Map<String, VerificationTier> TIERS = tiers();

  private final DefinitionValueDecoder values;
  private final DefinitionProblemCollector problems;

  MilestoneDecoder(DefinitionValueDecoder values) {
    this.values = values;
    this.problems = values.problems();
  }

  private static Map<String, VerificationTier> tiers() {
    Map<String, VerificationTier> tiers = new LinkedHashMap<>();
    for (VerificationTier tier : VerificationTier.values()) {
      tiers.put(tier.word(), tier);
    }
    return tiers;
  }

  Optional<MilestoneSettings> decode(DefinitionCursor place) {
    Optional<MappingFieldReader> found =
        MappingFieldReader.of(place, values, "{title, tier, verify: [commands]}");
    if (found.isEmpty()) {
      return Optional.empty();
    }
    MappingFieldReader fields = found.get();
    fields.allowOnly(List.of("title", "tier", "verify"));
    fields.require("title", "title: what is reached");
    Optional<String> title = fields.text("title", MAX_TITLE);
    Optional<VerificationTier> tier = fields.choice("tier", TIERS);
    List<String> verify = fields.get("verify").map(this::commands).orElse(List.of());
    return title.map(
        text -> new MilestoneSettings(text, tier.orElse(VerificationTier.TIER0), verify));
  }

  private List<String> commands(DefinitionCursor place) {
    if (!(place.node() instanceof LocatedNode.Items(_, List<LocatedNode> items))
        || items.size() > MilestoneSettings.MAX_COMMANDS) {
      problems.error(
          place,
          "these are not verification commands",
          "a list of at most " + MilestoneSettings.MAX_COMMANDS + " commands");
      return List.of();
    }
    List<String> commands = new ArrayList<>();
    for (int i = 0; i < items.size(); i++) {
      command(place.item(i, items.get(i))).ifPresent(commands::add);
    }
    return commands;
  }

  private Optional<String> command(DefinitionCursor place) {
    Optional<String> command = values.text(place, MilestoneSettings.MAX_COMMAND);
    if (command.isPresent() && command.get().isBlank()) {
      problems.error(place, "the command is empty", "a command");
    }
    if (command.isPresent() && Template.isTemplate(command.get())) {
      problems.error(
          place,
          "a command has no '${{': text put into code can become code",
          "the step's env, and \"$NAME\" in the command");
    }
    return command;
  }
}
