/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.cli.checkpoint;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.baton.cli.client.Client;
import dev.baton.cli.command.Context;
import dev.baton.cli.terminal.Bytes;
import dev.baton.cli.terminal.StepTree;
import dev.baton.protocol.json.Json;
import dev.baton.snapshot.Limits;
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
      "Store an exported checkpoint, as that of a new run, pinned.",
      "Checksums are checked where it has them; nothing of it is trusted."
    },
    footer = {
      "%nExamples:",
      "  baton checkpoint import ./handover",
      "  baton checkpoint import handover.tar --project website -o json"
    })
final class ImportCommand implements Runnable {
  private final Context context;

  @Parameters(
      paramLabel = "DIR|FILE.tar",
      description = "What `baton checkpoint export` has written, or a tool of the same layout.")
  private Path source = Path.of("");

  @Option(names = "--project", description = "Default: the project 'default'.")
  private @Nullable String project;

  ImportCommand(Context context) {
    this.context = context;
  }

  @Override
  public void run() {
    Attempt.run("the import", this::takeIn);
  }

  private void takeIn() throws IOException, InterruptedException {
    StepTree tree = new StepTree(context.terminal(), context.style(), context.json());
    try (Workshop workshop = Workshop.temporary()) {
      tree.title("Importing " + source + "...");
      JsonNode made = load(workshop, tree);
      if (context.json()) {
        context.printJson(made);
      } else {
        tree.say(
            "Checkpoint %s of run %s created."
                .formatted(made.path("id").asText(), made.path("run").asText()));
      }
    }
  }

  private JsonNode load(Workshop workshop, StepTree tree) throws IOException, InterruptedException {
    Portable[] portable = new Portable[1];
    Path files = Files.createDirectory(workshop.path().resolve("tree"));
    tree.step(
        "Checking files",
        step -> {
          portable[0] =
              Portable.open(source, Files.createDirectory(workshop.path().resolve("import")));
          return portable[0].checked() ? "" : "it has no checksums";
        });
    tree.step(
        "Unpacking " + Layout.WORKSPACE,
        step -> {
          Path archive = portable[0].folder().resolve(Layout.WORKSPACE);
          try (InputStream in = Files.newInputStream(archive)) {
            Unpacker.unpack(in, files, Limits.defaults());
          }
          return Bytes.of(Files.size(archive));
        });
    Client client = context.client();
    String run = run(portable[0].manifest());
    try {
      return new Import(client, run).store(portable[0], files, tree);
    } finally {
      // It has nobody to carry it: what is there of it is its checkpoint.
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
