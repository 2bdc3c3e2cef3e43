/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.cli.checkpoint;

import dev.baton.cli.command.CommandContext;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Arguments and options of each command about one checkpoint. */
abstract class SingleCheckpointCommand {
  final CommandContext context;

  @Parameters(
      index = "0",
      paramLabel = "ID",
      description = "A checkpoint's id, or six or more of its last characters.")
  private String id = "";

  @Option(
      names = "--project",
      description = "The project in which a short id is resolved. Default: the project 'default'.")
  private @Nullable String project;

  SingleCheckpointCommand(CommandContext context) {
    this.context = context;
  }

  /**
   * @throws dev.baton.cli.command.CliException when the argument is not an id
   */
  final CheckpointRef checkpoint() {
    return reference(id);
  }

  final CheckpointRef reference(String text) {
    return CheckpointRef.parse(text, project);
  }
}
