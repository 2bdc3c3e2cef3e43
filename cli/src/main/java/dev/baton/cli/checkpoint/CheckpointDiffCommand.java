/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.cli.checkpoint;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.baton.cli.command.CommandContext;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code baton checkpoint diff A B}. */
@Command(
    name = "diff",
    description = {
      "Compare the files of two checkpoints, by path.",
      "A: added, D: removed, M: changed, with the kind of change."
    },
    footer = {
      "%nExamples:",
      "  baton checkpoint diff 4v8k2m 9x1c7b",
      "  baton checkpoint diff 4v8k2m 9x1c7b -o json | jq -r '.changes[].path'"
    })
final class CheckpointDiffCommand extends SingleCheckpointCommand implements Runnable {
  @Parameters(
      index = "1",
      paramLabel = "OTHER",
      description = "The checkpoint to compare it with: the later one.")
  private String other = "";

  @Option(
      names = "--times",
      description = "Also list files that differ only in their modification time.")
  private boolean times;

  CheckpointDiffCommand(CommandContext context) {
    super(context);
  }

  @Override
  public void run() {
    CheckpointFileComparer diff = new CheckpointFileComparer(context, times);
    ObjectNode result = diff.compare(checkpoint(), reference(other));
    context.show(result, diff.summary());
  }
}
