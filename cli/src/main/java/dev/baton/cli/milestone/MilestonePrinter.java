/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.cli.milestone;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.baton.cli.command.CommandContext;
import dev.baton.cli.terminal.TextTable;
import dev.baton.milestone.history.MilestoneLocation;
import dev.baton.milestone.plan.ResumePlan;
import dev.baton.milestone.sidecar.MilestoneSidecar;
import dev.baton.milestone.sidecar.SidecarStore;
import java.util.List;

/** Prints milestones as JSON or text. */
final class MilestonePrinter {
  private static final int SHORT = 12;

  private MilestonePrinter() {}

  static JsonNode json(MilestoneLocation located) {
    MilestoneSidecar sidecar = located.sidecar();
    ObjectNode node = JsonNodeFactory.instance.objectNode();
    node.put("run_id", sidecar.runId());
    node.put("milestone_index", sidecar.milestoneIndex());
    node.put("milestone_title", sidecar.milestoneTitle());
    node.put("tier", sidecar.tier());
    node.put("sha", sidecar.sha());
    node.put("commit", located.commit());
    node.put("location", located.word());
    node.put("description", located.describe());
    node.put("created_at", sidecar.createdAt() == null ? null : sidecar.createdAt().toString());
    sidecar.verificationCommands().forEach(node.putArray("verification_commands")::add);
    return node;
  }

  static ArrayNode json(List<SidecarStore.Malformed> malformed) {
    ArrayNode array = JsonNodeFactory.instance.arrayNode();
    malformed.forEach(
        file -> array.addObject().put("file", file.file()).put("reason", file.reason()));
    return array;
  }

  static ObjectNode json(ResumePlan plan) {
    ObjectNode node = JsonNodeFactory.instance.objectNode();
    node.put("run_id", plan.run());
    node.put("source", plan.source().word());
    node.put("milestone_index", plan.nextMilestone() - 1);
    node.put("next_milestone", plan.nextMilestone());
    node.put("usable", plan.isUsable());
    plan.checkpoint()
        .ifPresent(
            found -> {
              ObjectNode checkpoint = node.putObject("checkpoint");
              checkpoint.put("format", found.format());
              checkpoint.put("sha", found.sha());
              checkpoint.put("commit", found.commit().orElse(null));
              checkpoint.put("milestone_index", found.milestoneIndex());
              checkpoint.put("milestone_title", found.title());
              checkpoint.put("tier", found.tier().orElse(null));
              checkpoint.put("location", found.location());
              checkpoint.put("description", found.description());
              found
                  .verificationCommands()
                  .forEach(checkpoint.putArray("verification_commands")::add);
            });
    plan.drift()
        .ifPresent(
            drift ->
                node.putObject("drift")
                    .put("recorded_index", drift.recordedIndex())
                    .put("checkpoint_index", drift.checkpointIndex()));
    node.put("malformed", plan.malformed());
    node.put("of_other_runs", plan.ofOthers());
    plan.notes().forEach(node.putArray("notes")::add);
    return node;
  }

  static void table(CommandContext context, List<MilestoneLocation> milestones) {
    TextTable table = new TextTable("RUN", "N", "COMMIT", "LOCATION", "TIER", "TITLE");
    for (MilestoneLocation located : milestones) {
      MilestoneSidecar sidecar = located.sidecar();
      String commit = located.commit();
      table.row(
          sidecar.runId(),
          Integer.toString(sidecar.milestoneIndex()),
          shortened(commit == null ? sidecar.sha() : commit),
          located.word(),
          sidecar.tier() == null ? "-" : sidecar.tier(),
          sidecar.milestoneTitle());
    }
    table.print(context.terminal().out(), context.style());
    context.checkReader();
  }

  static String shortened(String sha) {
    return sha.substring(0, Math.min(SHORT, sha.length()));
  }
}
