/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.cli.checkpoint;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.baton.cli.client.OrchestratorRestClient;
import dev.baton.cli.command.CommandContext;
import dev.baton.cli.terminal.ByteSizeFormatter;
import dev.baton.cli.terminal.ProgressTreePrinter;
import dev.baton.protocol.json.Json;
import dev.baton.snapshot.RestoreLimits;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code baton checkpoint import DIR}. */
@Command(
    name = "import",
    description = {
      "Store an exported checkpoint as the pinned checkpoint of a new run.",
      "Checksums are verified if present; all of its content is treated as untrusted."
    },
    footer = {
      "%nExamples:",
      "  baton checkpoint import ./handover",
      "  baton checkpoint import handover.tar --project website -o json"
    })
final class CheckpointImportCommand implements Runnable {
  private final CommandContext context;

  @Parameters(
      paramLabel = "DIR|FILE.tar",
      description = "The output of `baton checkpoint export`, or of a tool with the same layout.")
  private Path source = Path.of("");

  @Option(
      names = "--project",
      description = "The new run's project. Default: the project 'default'.")
  private @Nullable String project;

  CheckpointImportCommand(CommandContext context) {
    this.context = context;
  }

  @Override
  public void run() {
    FileWork.run("the import", this::takeIn);
  }

  private void takeIn() throws IOException, InterruptedException {
    ProgressTreePrinter tree =
        new ProgressTreePrinter(context.terminal(), context.style(), context.json());
    try (StagingDirectory workshop = StagingDirectory.temporary()) {
      tree.title("Importing " + source + "...");
      JsonNode made = load(workshop, tree);
      context.show(
          made,
          () ->
              tree.say(
                  "Checkpoint %s of run %s created."
                      .formatted(made.path("id").asText(), made.path("run").asText())));
    }
  }

  private JsonNode load(StagingDirectory workshop, ProgressTreePrinter tree)
      throws IOException, InterruptedException {
    PortableCheckpoint[] portable = new PortableCheckpoint[1];
    Path files = Files.createDirectory(workshop.path().resolve("tree"));
    tree.step(
        "Checking files",
        step -> {
          portable[0] =
              PortableCheckpoint.open(
                  source, Files.createDirectory(workshop.path().resolve("import")));
          return portable[0].checked() ? "" : "it has no checksums";
        });
    tree.step(
        "Unpacking " + PortableCheckpointFormat.WORKSPACE,
        step -> {
          Path archive = portable[0].folder().resolve(PortableCheckpointFormat.WORKSPACE);
          try (InputStream in = Files.newInputStream(archive)) {
            TarUnpacker.unpack(in, files, RestoreLimits.defaults());
          }
          return ByteSizeFormatter.of(Files.size(archive));
        });
    OrchestratorRestClient client = context.client();
    String run = run(portable[0].manifest());
    try {
      return new CheckpointImporter(client, run)
          .store(portable[0], files, Files.createDirectory(workshop.path().resolve("agent")), tree);
    } finally {
      // No runner executes this run: it exists only for its checkpoint.
      client.post(
          "/runs/" + run + "/cancel",
          Json.mapper().createObjectNode().put("reason", "an imported checkpoint"));
    }
  }

  private String run(JsonNode manifest) {
    ObjectNode body = Json.mapper().createObjectNode().put("kind", "external");
    String workflow = manifest.path("run").path("workflow").asText("");
    if (!workflow.isEmpty()) {
      body.put("workflow", workflow);
    }
    if (project != null) {
      body.put("project", project);
    }
    String id = manifest.path("id").asText("");
    if (!id.isEmpty() && id.length() <= 64) {
      body.putObject("labels").put("imported", id);
    }
    return context.client().post("/runs", body).path("id").asText();
  }
}
