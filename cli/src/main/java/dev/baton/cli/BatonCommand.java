/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.cli;

import dev.baton.cli.command.GlobalOptions;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.ScopeType;

/** Root of the command tree. */
@Command(
    name = "baton",
    scope = ScopeType.INHERIT,
    mixinStandardHelpOptions = true,
    versionProvider = BatonVersionProvider.class,
    description = "Runs long workflows that survive the crash of any component.",
    synopsisSubcommandLabel = "COMMAND",
    sortOptions = false,
    usageHelpAutoWidth = true,
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:done",
      "1:the command worked, but the run or the check failed",
      "2:wrong arguments or input",
      "3:not found",
      "4:an ambiguous id",
      "5:not possible in the current state",
      "6:no server",
      "7:timeout",
      "8:server error, or permission denied",
      "130:interrupted",
      "141:the reader closed the output early",
      "143:terminated"
    })
final class BatonCommand {
  @Mixin private final GlobalOptions options;

  BatonCommand(GlobalOptions options) {
    this.options = options;
  }

  GlobalOptions options() {
    return options;
  }
}
