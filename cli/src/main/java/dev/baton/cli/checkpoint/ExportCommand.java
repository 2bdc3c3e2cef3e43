/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.cli.checkpoint;

import dev.baton.cli.command.Context;
import dev.baton.cli.terminal.Bytes;
import dev.baton.cli.terminal.StepTree;
import dev.baton.protocol.json.Json;
import dev.baton.snapshot.restore.OpenSnapshot;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code baton checkpoint export ID}. */
@Command(
    name = "export",
    description = {
      "Write a checkpoint as files that need no Baton: manifest.json, conversation.json,",
      "session_state.json, environment.json, workspace.tar.zst, tmux_state.txt, mcp_state/."
    },
    footer = {
      "%nExamples:",
      "  baton checkpoint export 4v8k2m --to ./handover",
      "  baton checkpoint export 4v8k2m --to handover.tar",
      "  tar --zstd -xf handover/workspace.tar.zst -C ./files"
    })
final class ExportCommand extends OneCheckpoint implements Runnable {
  @Option(
      names = "--to",
      paramLabel = "DIR|FILE.tar",
      description = "A folder, or one archive. Default: the folder checkpoint-ID.")
  private @Nullable Path target;

  @Option(names = "--force", description = "Replace what is there.")
  private boolean force;

  ExportCommand(Context context) {
    super(context);
  }

  @Override
  public void run() {
    CheckpointRef reference = checkpoint();
    Attempt.run("the export", () -> export(reference));
  }

  private void export(CheckpointRef reference) throws IOException, InterruptedException {
    Opened opened = Opened.open(context.client(), reference);
    Path to = target == null ? Path.of("checkpoint-" + opened.id()) : target;
    Target.checkFree(to, force);
    Notes.size(context, opened.snapshot().treeBytes());
    StepTree tree = new StepTree(context.terminal(), context.style(), context.json());
    tree.title("Exporting checkpoint " + opened.id() + "...");
    export(opened, to, tree);
    report(opened, to, tree);
  }

  private void export(Opened opened, Path to, StepTree tree)
      throws IOException, InterruptedException {
    long total = opened.snapshot().treeBytes();
    try (Workshop workshop = Workshop.beside(to)) {
      Path folder = Files.createDirectory(workshop.path().resolve("export"));
      tree.step(
          "Packing workspace (" + Bytes.of(total) + ")",
          step -> {
            Path archive = folder.resolve(Layout.WORKSPACE);
            try (HttpPacks packs = HttpPacks.of(context.client(), opened);
                OpenSnapshot snapshot = OpenSnapshot.open(opened.snapshot(), packs)) {
              TarExport.write(snapshot, archive, bytes -> step.progress(bytes, total));
            }
            return Bytes.of(Files.size(archive));
          });
      tree.last(
          "Writing manifest and state",
          step -> {
            Layout.writeState(folder, opened.document());
            Layout.writeManifest(folder, opened.document());
            workshop.place(isArchive(to) ? workshop.tar(folder) : folder, to);
            return "";
          });
    }
  }

  private static boolean isArchive(Path to) {
    return to.toString().endsWith(".tar") && !Files.isDirectory(to, LinkOption.NOFOLLOW_LINKS);
  }

  private void report(Opened opened, Path to, StepTree tree) {
    if (context.json()) {
      context.printJson(
          Json.mapper()
              .createObjectNode()
              .put("id", opened.id())
              .put("target", to.toAbsolutePath().normalize().toString())
              .put("digest", opened.snapshot().root().toString()));
    } else {
      tree.say("Checkpoint " + opened.id() + " exported to " + to + ".");
    }
  }
}
