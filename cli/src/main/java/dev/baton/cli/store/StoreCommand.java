/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.cli.store;

import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code baton store}: without a subcommand, fails with the list of subcommands. */
@Command(
    name = "store",
    description = "Check the object store that checkpoints are kept in.",
    subcommands = StoreDoctorCommand.class)
public final class StoreCommand implements Runnable {
  @Spec private CommandSpec spec = CommandSpec.create();

  @Override
  public void run() {
    throw new ParameterException(
        new CommandLine(spec),
        "a subcommand is missing; allowed: " + String.join(", ", spec.subcommands().keySet()));
  }
}
