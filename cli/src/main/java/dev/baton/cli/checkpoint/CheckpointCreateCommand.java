/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.cli.checkpoint;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.baton.cli.client.OrchestratorRestClient;
import dev.baton.cli.client.RetryBackoff;
import dev.baton.cli.client.RunRef;
import dev.baton.cli.command.CliException;
import dev.baton.cli.command.CliExitCode;
import dev.baton.cli.command.CommandContext;
import dev.baton.cli.terminal.ByteSizeFormatter;
import dev.baton.cli.terminal.ProgressTreePrinter;
import dev.baton.cli.terminal.TimeFormatter;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code baton checkpoint create RUN}. */
@Command(
    name = "create",
    description = "Create a checkpoint of a run now, without stopping the run.",
    footer = {
      "%nExamples:",
      "  baton checkpoint create 7c9e2f",
      "  baton checkpoint create 7c9e2f --no-verify -o json | jq -r .id"
    })
final class CheckpointCreateCommand implements Runnable {
  private static final Duration ANSWER = Duration.ofSeconds(75);
  private static final Duration WAIT = Duration.ofMinutes(5);
  private static final List<String> TRIGGERS = List.of("manual", "detach");
  private final CommandContext context;

  @Parameters(paramLabel = "RUN", description = "A run's id, or its last six characters.")
  private String run = "";

  @Option(names = "--trigger", description = "manual (the default) or detach.")
  private String trigger = "manual";

  @Option(
      names = "--no-verify",
      negatable = false,
      description = "Do not read and verify it after creation.")
  private boolean unverified;

  CheckpointCreateCommand(CommandContext context) {
    this.context = context;
  }

  @Override
  public void run() {
    if (!TRIGGERS.contains(trigger)) {
      throw CliException.usage(
          "--trigger '%s' is not one of %s".formatted(trigger, String.join(", ", TRIGGERS)));
    }
    String path = "/runs/" + RunRef.parse(run).text() + "/checkpoints";
    ProgressTreePrinter tree =
        new ProgressTreePrinter(context.terminal(), context.style(), context.json());
    tree.title("Creating " + trigger + " checkpoint...");
    FileWork.run("the checkpoint", () -> make(path, tree));
  }

  private void make(String path, ProgressTreePrinter tree)
      throws IOException, InterruptedException {
    ObjectNode made = JsonNodeFactory.instance.objectNode();
    ProgressTreePrinter.Work snapshot =
        step -> {
          made.setAll(checkpoint(path));
          return ByteSizeFormatter.of(made.path("size_bytes").asLong());
        };
    tree.step("Snapshotting workspace", snapshot);
    contributors(made, tree);
    if (unverified) {
      tree.last(
          "Storing checkpoint", step -> ByteSizeFormatter.of(made.path("stored_bytes").asLong()));
    } else {
      tree.last("Verifying checkpoint", step -> verify(made));
    }
    if (context.json()) {
      context.printJson(made);
    } else {
      tree.say("Checkpoint " + made.path("id").asText() + " created.");
      NotePrinter.size(context, made.path("size_bytes").asLong());
    }
  }

  /** Prints the other contents of the checkpoint that its manifest lists. */
  private static void contributors(JsonNode made, ProgressTreePrinter tree)
      throws IOException, InterruptedException {
    for (CheckpointPart part : CheckpointPart.of(made.path("manifest"))) {
      tree.step(part.capture(), step -> part.result());
    }
  }

  private ObjectNode checkpoint(String path) {
    ObjectNode body = JsonNodeFactory.instance.objectNode().put("trigger", trigger);
    String id = context.client().post(path, body, ANSWER).path("id").asText();
    return await(id);
  }

  /** Returns the checkpoint with its manifest; waits for one that is still being created. */
  private ObjectNode await(String id) {
    long end = System.nanoTime() + WAIT.toNanos();
    RetryBackoff pause = new RetryBackoff(Duration.ofMillis(200), Duration.ofSeconds(2));
    while (true) {
      ObjectNode found = find(id);
      if (found != null) {
        return found;
      }
      if (System.nanoTime() > end) {
        throw CliException.of(
            CliExitCode.TIMEOUT,
            "checkpoint %s was not created within %s; see `baton checkpoint list`"
                .formatted(id, TimeFormatter.duration(WAIT)));
      }
      pause.next();
    }
  }

  private @Nullable ObjectNode find(String id) {
    try {
      return (ObjectNode) context.client().get("/checkpoints/" + id);
    } catch (CliException failure) {
      if (failure.code() == CliExitCode.NOT_FOUND) {
        return null;
      }
      throw failure;
    }
  }

  private String verify(ObjectNode made) throws IOException {
    String id = made.path("id").asText();
    OrchestratorRestClient client = context.client();
    JsonNode answer =
        client.post(
            "/checkpoints/" + id + "/verify",
            JsonNodeFactory.instance.objectNode(),
            OrchestratorRestClient.WORK);
    if (!answer.path("verified").asBoolean()) {
      throw CliException.of(
          CliExitCode.FAILED,
          "checkpoint %s was created but cannot be restored: %s"
              .formatted(id, answer.at("/findings/0/what").asText("see baton checkpoint verify")));
    }
    made.put("verified", true).put("verification", "verified");
    return ByteSizeFormatter.of(answer.path("bytes").asLong()) + " read";
  }
}
