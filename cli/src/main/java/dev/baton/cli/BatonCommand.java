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

/** The root of the commands. */
@Command(
    name = "baton",
    scope = ScopeType.INHERIT,
    mixinStandardHelpOptions = true,
    versionProvider = BatonVersionProvider.class,
    description = "Long work that survives the death of anything.",
    synopsisSubcommandLabel = "COMMAND",
    sortOptions = false,
    usageHelpAutoWidth = true,
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:done",
      "1:it worked, but the run or the check failed",
      "2:wrong arguments or input",
      "3:not found",
      "4:an id that fits several",
      "5:the state does not allow it",
      "6:no server",
      "7:out of time",
      "8:the server's own error, or no right",
      "130:interrupted",
      "141:nobody read the output to its end",
      "143:told to end"
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
