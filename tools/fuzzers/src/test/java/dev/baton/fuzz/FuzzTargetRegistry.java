/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.fuzz;

import dev.baton.agent.acp.AcpUpdateFuzzer;
import dev.baton.agent.claude.ClaudeOutputFuzzer;
import dev.baton.agent.codex.CodexFileFuzzer;
import dev.baton.agent.mcp.McpMessageFuzzer;
import dev.baton.agent.opencode.OpenCodeEventFuzzer;
import dev.baton.cli.checkpoint.ImportFuzzer;
import dev.baton.cli.client.EventStreamFuzzer;
import dev.baton.lease.TokenFuzzer;
import dev.baton.milestone.sidecar.MilestoneFuzzer;
import dev.baton.orchestrator.deadletters.CursorFuzzer;
import dev.baton.protocol.expression.ExpressionFuzzer;
import dev.baton.protocol.workflow.InputSchemaFuzzer;
import dev.baton.runner.checkpoint.GitStatusFuzzer;
import dev.baton.runner.steps.HttpBodyFuzzer;
import dev.baton.snapshot.format.BlockFuzz;
import dev.baton.snapshot.format.ExtentListFuzz;
import dev.baton.snapshot.format.NodeFuzz;
import dev.baton.snapshot.format.PackIndexFuzz;
import dev.baton.store.archive.ArchiveFuzzer;
import java.util.List;

/** All targets; docs/testing.md lists what each decodes. */
final class FuzzTargetRegistry {
  private static final List<FuzzTarget> ALL =
      List.of(
          new FuzzTarget("trace-event", TopicRecordFuzzer::trace),
          new FuzzTarget("heartbeat", TopicRecordFuzzer::heartbeat),
          new FuzzTarget("signal", TopicRecordFuzzer::signal),
          new FuzzTarget("log-records", StateFileFuzzer::log),
          new FuzzTarget("event-signature", TokenFuzzer::signature),
          new FuzzTarget("token", TokenFuzzer::token),
          new FuzzTarget("token-claims", TokenFuzzer::claims),
          new FuzzTarget("published-keys", TokenFuzzer::keys),
          new FuzzTarget("key-file", KeyFileFuzzer::keys),
          new FuzzTarget("workflow-yaml", DefinitionFuzzer::yaml),
          new FuzzTarget("workflow-json", DefinitionFuzzer::json),
          new FuzzTarget("workflow-dot", DefinitionFuzzer::dot),
          new FuzzTarget("expression", ExpressionFuzzer::expression),
          new FuzzTarget("template", ExpressionFuzzer::template),
          new FuzzTarget("input-schema", InputSchemaFuzzer::schema),
          new FuzzTarget("input-json", DefinitionFuzzer::input),
          new FuzzTarget("run-request", DefinitionFuzzer::request),
          new FuzzTarget("cursor", CursorFuzzer::cursor),
          new FuzzTarget("snapshot-node", NodeFuzz::fuzzerTestOneInput),
          new FuzzTarget("chunk-list", ExtentListFuzz::fuzzerTestOneInput),
          new FuzzTarget("pack-index", PackIndexFuzz::fuzzerTestOneInput),
          new FuzzTarget("pack-block", BlockFuzz::fuzzerTestOneInput),
          new FuzzTarget("manifest", StateFileFuzzer::manifest),
          new FuzzTarget("manifest-object", StateFileFuzzer::manifestObject),
          new FuzzTarget("screen", StateFileFuzzer::screen),
          new FuzzTarget("conversation", StateFileFuzzer::conversation),
          new FuzzTarget("workspace-tar", ImportFuzzer::tar),
          new FuzzTarget("archive-line", ArchiveFuzzer::lines),
          new FuzzTarget("archive-manifest", ArchiveFuzzer::manifest),
          new FuzzTarget("archive-settings", ArchiveFuzzer::settings),
          new FuzzTarget("archive-objects", ArchiveFuzzer::objects),
          new FuzzTarget("milestone", MilestoneFuzzer::milestone),
          new FuzzTarget("git-status", GitStatusFuzzer::status),
          new FuzzTarget("claude-transcript", StateFileFuzzer::transcript),
          new FuzzTarget("claude-continuation", ClaudeOutputFuzzer::transcript),
          new FuzzTarget("claude-output", ClaudeOutputFuzzer::output),
          new FuzzTarget("codex-rollout", CodexFileFuzzer::rollout),
          new FuzzTarget("codex-notification", CodexFileFuzzer::notifications),
          new FuzzTarget("opencode-event", OpenCodeEventFuzzer::events),
          new FuzzTarget("acp-update", AcpUpdateFuzzer::updates),
          new FuzzTarget("loop-session", StateFileFuzzer::loopSession),
          new FuzzTarget("tool-arguments", StateFileFuzzer::toolArguments),
          new FuzzTarget("mcp-message", McpMessageFuzzer::messages),
          new FuzzTarget("model-request", GatewayFuzzer::request),
          new FuzzTarget("model-stream", GatewayFuzzer::answer),
          new FuzzTarget("model-message", GatewayFuzzer::message),
          new FuzzTarget("http-body", HttpBodyFuzzer::body),
          new FuzzTarget("event-stream", EventStreamFuzzer::events));

  private FuzzTargetRegistry() {}

  static List<FuzzTarget> all() {
    return ALL;
  }

  /**
   * Returns the target of a name.
   *
   * @throws IllegalArgumentException that lists the names
   */
  static FuzzTarget of(String name) {
    return ALL.stream()
        .filter(target -> target.name().equals(name))
        .findFirst()
        .orElseThrow(
            () ->
                new IllegalArgumentException(
                    "'%s' is not a target; allowed: %s"
                        .formatted(name, ALL.stream().map(FuzzTarget::name).toList())));
  }
}
