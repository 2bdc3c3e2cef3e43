/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.cli.checkpoint;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.baton.cli.client.OrchestratorRestClient;
import dev.baton.cli.command.CliExitCode;
import dev.baton.cli.command.CommandContext;
import dev.baton.cli.terminal.ByteSizeFormatter;
import dev.baton.cli.terminal.ProgressIndicator;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;

/** {@code baton checkpoint verify ID}. Exits with 1 when the checkpoint is damaged. */
@Command(
    name = "verify",
    description = "Read and verify all data of a checkpoint now.",
    footer = {
      "%nExamples:",
      "  baton checkpoint verify 4v8k2m",
      "  baton checkpoint verify 4v8k2m -o json | jq '.findings[].what'"
    })
final class CheckpointVerifyCommand extends SingleCheckpointCommand implements Callable<Integer> {
  CheckpointVerifyCommand(CommandContext context) {
    super(context);
  }

  @Override
  public Integer call() {
    JsonNode answer;
    try (ProgressIndicator _ = ProgressIndicator.start(context.terminal(), "verifying")) {
      answer =
          context
              .client()
              .post(
                  checkpoint().path("/verify"),
                  JsonNodeFactory.instance.objectNode(),
                  OrchestratorRestClient.WORK);
    }
    context.show(answer, () -> print(answer));
    return answer.path("verified").asBoolean()
        ? CliExitCode.OK.number()
        : CliExitCode.FAILED.number();
  }

  private void print(JsonNode answer) {
    String read =
        "%d packs, %s"
            .formatted(
                answer.path("packs").asInt(), ByteSizeFormatter.of(answer.path("bytes").asLong()));
    if (answer.path("verified").asBoolean()) {
      context.print(
          "%s checkpoint %s is intact (%s)"
              .formatted(context.style().good("✓"), answer.path("id").asText(), read));
      return;
    }
    context.print(
        "%s checkpoint %s cannot be restored (%s)"
            .formatted(context.style().bad("✗"), answer.path("id").asText(), read));
    for (JsonNode finding : answer.path("findings")) {
      context.print("  " + line(finding));
    }
  }

  private static String line(JsonNode finding) {
    int hurt = finding.path("checkpoints").size();
    String pack = finding.path("pack").asText("");
    return (pack.isEmpty() ? "" : "pack " + pack + ": ")
        + finding.path("what").asText()
        + (hurt > 1 ? " (hurts " + hurt + " checkpoints)" : "");
  }
}
