/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.cli.stack;

import dev.baton.cli.command.CommandContext;
import dev.baton.cli.terminal.ProgressIndicator;
import dev.baton.protocol.json.Json;
import java.io.IOException;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;

/** {@code baton down}. */
@Command(
    name = "down",
    description =
        "Stop the stack that `baton up` started. Runs stay, and resume after the next `baton up`.")
public final class DownCommand implements Callable<Integer> {
  private final CommandContext context;

  public DownCommand(CommandContext context) {
    this.context = context;
  }

  @Override
  public Integer call() throws IOException, InterruptedException {
    DataFolder folder = context.dataFolder();
    // Does not depend on stack.json, which may be corrupt: the program finds the processes by other
    // means.
    boolean known = folder.isUsed();
    if (known) {
      try (ProgressIndicator progress =
          ProgressIndicator.start(context.terminal(), "stopping Baton")) {
        StackProgram.of(folder).down(progress::line);
      }
    }
    context.show(
        Json.mapper()
            .createObjectNode()
            .put("data", folder.path().toString())
            .put("stopped", known),
        known
            ? "Baton is down; its data remains in " + folder.path()
            : "nothing to stop: " + folder.path() + " has no stack");
    return 0;
  }
}
