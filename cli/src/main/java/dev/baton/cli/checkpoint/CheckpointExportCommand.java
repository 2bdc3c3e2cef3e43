/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.cli.checkpoint;

import dev.baton.cli.command.CommandContext;
import dev.baton.cli.terminal.ByteSizeFormatter;
import dev.baton.cli.terminal.ProgressTreePrinter;
import dev.baton.protocol.json.Json;
import dev.baton.snapshot.restore.SnapshotReader;
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
      "session_state.json, environment.json, workspace.tar.zst, mcp_state/, and tmux_state.txt",
      "where the checkpoint has a screen."
    },
    footer = {
      "%nExamples:",
      "  baton checkpoint export 4v8k2m --to ./handover",
      "  baton checkpoint export 4v8k2m --to handover.tar",
      "  tar --zstd -xf handover/workspace.tar.zst -C ./files"
    })
final class CheckpointExportCommand extends SingleCheckpointCommand implements Runnable {
  @Option(
      names = "--to",
      paramLabel = "DIR|FILE.tar",
      description = "A folder, or one archive. Default: the folder checkpoint-ID.")
  private @Nullable Path target;

  @Option(names = "--force", description = "Replace an existing target.")
  private boolean force;

  CheckpointExportCommand(CommandContext context) {
    super(context);
  }

  @Override
  public void run() {
    CheckpointRef reference = checkpoint();
    FileWork.run("the export", () -> export(reference));
  }

  private void export(CheckpointRef reference) throws IOException, InterruptedException {
    CheckpointDownload opened = CheckpointDownload.open(context.client(), reference);
    Path to = target == null ? Path.of("checkpoint-" + opened.id()) : target;
    TargetPathChecker.checkFree(to, force);
    NotePrinter.size(context, opened.snapshot().treeBytes());
    ProgressTreePrinter tree =
        new ProgressTreePrinter(context.terminal(), context.style(), context.json());
    tree.title("Exporting checkpoint " + opened.id() + "...");
    export(opened, to, tree);
    report(opened, to, tree);
  }

  private void export(CheckpointDownload opened, Path to, ProgressTreePrinter tree)
      throws IOException, InterruptedException {
    long total = opened.snapshot().treeBytes();
    try (StagingDirectory workshop = StagingDirectory.beside(to)) {
      Path folder = Files.createDirectory(workshop.path().resolve("export"));
      tree.step(
          "Packing workspace (" + ByteSizeFormatter.of(total) + ")",
          step -> {
            Path archive = folder.resolve(PortableCheckpointFormat.WORKSPACE);
            try (SnapshotReader snapshot =
                SnapshotReader.open(opened.snapshot(), opened.packs(context.client()))) {
              SnapshotTarWriter.write(snapshot, archive, bytes -> step.progress(bytes, total));
            }
            return ByteSizeFormatter.of(Files.size(archive));
          });
      tree.last(
          "Writing manifest and state",
          step -> {
            AgentStateExporter agent =
                AgentStateExporter.export(
                    context.client(),
                    opened,
                    Files.createDirectory(workshop.path().resolve("agent")));
            PortableCheckpointFormat.writeState(folder, opened.document(), agent);
            PortableCheckpointFormat.writeManifest(folder, opened.document());
            workshop.place(isArchive(to) ? workshop.tar(folder) : folder, to);
            return "";
          });
    }
  }

  private static boolean isArchive(Path to) {
    return to.toString().endsWith(".tar") && !Files.isDirectory(to, LinkOption.NOFOLLOW_LINKS);
  }

  private void report(CheckpointDownload opened, Path to, ProgressTreePrinter tree) {
    context.show(
        Json.mapper()
            .createObjectNode()
            .put("id", opened.id())
            .put("target", to.toAbsolutePath().normalize().toString())
            .put("digest", opened.snapshot().root().toString()),
        () -> tree.say("Checkpoint " + opened.id() + " exported to " + to + "."));
  }
}
