/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.cli;

import dev.baton.cli.command.CommandContext;
import dev.baton.protocol.json.Json;
import picocli.CommandLine.Command;

/** {@code baton version}. */
@Command(name = "version", description = "Show the version of this command and of its Java.")
final class VersionCommand implements Runnable {
  private final CommandContext context;

  VersionCommand(CommandContext context) {
    this.context = context;
  }

  @Override
  public void run() {
    String java = Runtime.version().toString();
    context.show(
        Json.mapper()
            .createObjectNode()
            .put("version", BatonVersionProvider.number())
            .put("java", java),
        "baton " + BatonVersionProvider.number() + " (Java " + java + ")");
  }
}
