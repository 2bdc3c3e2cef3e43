/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.cli.checkpoint;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.baton.cli.command.CliException;
import dev.baton.cli.command.CliExitCode;
import dev.baton.cli.command.CommandContext;
import dev.baton.cli.run.ForkRequestSender;
import dev.baton.cli.run.StartedRunFollower;
import dev.baton.cli.terminal.ByteSizeFormatter;
import dev.baton.cli.terminal.ProgressTreePrinter;
import dev.baton.protocol.json.Json;
import dev.baton.protocol.manifest.Manifest;
import dev.baton.snapshot.RestoreLimits;
import dev.baton.snapshot.restore.RestoreOptions;
import dev.baton.snapshot.restore.RestoredTree;
import dev.baton.snapshot.restore.TreeRestorer;
import dev.baton.transfer.PresignedPackSource;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code baton checkpoint restore ID --to DIR}. */
@Command(
    name = "restore",
    description =
        "Restore a checkpoint's files into a directory, exactly as they were. All or nothing.",
    footer = {
      "%nExamples:",
      "  baton checkpoint restore 4v8k2m --to ./before",
      "  baton checkpoint restore 4v8k2m --to ./work --force",
      "  baton checkpoint restore 4v8k2m --run --wait"
    })
final class CheckpointRestoreCommand extends SingleCheckpointCommand implements Callable<Integer> {
  @Option(
      names = "--to",
      paramLabel = "DIR",
      description = "A directory that does not exist yet, or is empty.")
  private @Nullable Path target;

  @Option(
      names = "--force",
      description = "Replace the existing directory atomically, with all its content.")
  private boolean force;

  @Option(names = "--keep-setuid", description = "Keep setuid and setgid bits.")
  private boolean keepSetuid;

  @Option(
      names = "--max-bytes",
      paramLabel = "N",
      description = "Maximum size of all files in bytes; more is refused. Default: 64 GiB.")
  private long maxBytes = RestoreLimits.defaults().maxBytes();

  @Option(
      names = "--run",
      description =
          "Start a new run from it instead, and show what its runner restores; see also: baton"
              + " replay.")
  private boolean run;

  @Mixin private StartedRunFollower started = new StartedRunFollower();

  CheckpointRestoreCommand(CommandContext context) {
    super(context);
  }

  @Override
  public Integer call() {
    if (run) {
      return start();
    }
    Path to = check();
    ProgressTreePrinter tree =
        new ProgressTreePrinter(context.terminal(), context.style(), context.json());
    FileWork.run(
        "the restore",
        () -> {
          TargetPathChecker.checkFree(to, force);
          restore(to, tree);
        });
    return CliExitCode.OK.number();
  }

  private int start() {
    if (target != null) {
      throw CliException.usage(
          "--to and --run cannot be combined: the new run has files of its own");
    }
    JsonNode of = context.client().get(checkpoint().path(""));
    ObjectNode body = Json.mapper().createObjectNode().put("checkpoint", of.path("id").asText());
    JsonNode made = ForkRequestSender.create(context.client(), of.path("run").asText(), body);
    // With --wait, the JSON is that of the run's end.
    if (made instanceof ObjectNode fork
        && !started.isDetached()
        && !(started.waits() && context.json())) {
      FileWork.run(
          "the restore",
          () ->
              fork.set(
                  "restored",
                  new RestoredRunFollower(context, of, fork.path("id").asText()).follow()));
    }
    return started.show(context, made);
  }

  private Path check() {
    if (target == null) {
      throw CliException.usage(
          "--to DIR is missing: give the target directory (--run starts a new run instead)");
    }
    if (maxBytes < 0) {
      throw CliException.usage("--max-bytes " + maxBytes + " is not 0 or more");
    }
    return target;
  }

  private void restore(Path to, ProgressTreePrinter tree) throws IOException, InterruptedException {
    CheckpointDownload opened = CheckpointDownload.open(context.client(), checkpoint());
    Manifest.Workspace workspace = opened.manifest().workspace();
    NotePrinter.size(context, workspace.sizeBytes());
    tree.title("Restoring checkpoint " + opened.id() + "...");
    RestoreOptions options =
        RestoreOptions.defaults()
            .withLimits(new RestoreLimits(maxBytes, RestoreLimits.defaults().maxEntries()));
    RestoreOptions chosen = keepSetuid ? options.keepingSetuid() : options;
    RestoredTree[] restored = new RestoredTree[1];
    tree.last(
        "Restoring workspace (" + ByteSizeFormatter.of(workspace.sizeBytes()) + ")",
        step -> {
          PresignedPackSource packs = opened.packs(context.client());
          restored[0] =
              TreeRestorer.restore(
                  opened.snapshot(),
                  packs,
                  to,
                  chosen.withProgress(
                      (bytes, files) -> step.progress(bytes, workspace.sizeBytes())));
          return "%,d files, %s fetched"
              .formatted(restored[0].fileCount(), ByteSizeFormatter.of(packs.bytesRead()));
        });
    report(opened, restored[0], to, tree);
  }

  private void report(
      CheckpointDownload opened, RestoredTree restored, Path to, ProgressTreePrinter tree) {
    if (context.json()) {
      ObjectNode result =
          Json.mapper()
              .createObjectNode()
              .put("id", opened.id())
              .put("target", to.toAbsolutePath().normalize().toString())
              .put("digest", restored.root().toString())
              .put("size_bytes", restored.treeBytes())
              .put("file_count", restored.fileCount())
              .put("degraded_count", restored.degradedCount());
      restored.degraded().forEach(result.putArray("degraded")::add);
      restored.leftovers().forEach(result.putArray("leftovers")::add);
      context.printJson(result);
      return;
    }
    tree.say("Checkpoint " + opened.id() + " restored to " + to + ".");
    NotePrinter.several(
        context,
        restored.degradedCount() + " entries could not be restored exactly",
        restored.degraded());
    NotePrinter.several(
        context,
        "git runs these programs of the checkpoint when you use it in the restored files",
        RestoredHookFinder.find(to));
    NotePrinter.several(
        context, "the previous content could not be removed completely", restored.leftovers());
  }
}
