/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.cli.command;

import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.cli.terminal.Terminal;
import java.io.ByteArrayInputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;

class CommandContextTest {
  private final GlobalOptions options = new GlobalOptions();

  /** The context is created before the arguments are parsed, as in {@code CliMain}. */
  private CommandContext context(boolean errIsTerminal) {
    PrintStream nowhere = new PrintStream(OutputStream.nullOutputStream());
    return new CommandContext(
        new Terminal(new ByteArrayInputStream(new byte[0]), nowhere, nowhere, false, errIsTerminal),
        Map.of(),
        options);
  }

  @ParameterizedTest
  @CsvSource({"json, false, false", "json, true, true", "table, false, true", "table, true, true"})
  void shouldPrintProgressOfJsonCommandsToTerminalsOnly(
      String format, boolean errIsTerminal, boolean progress) {
    try (CommandContext context = context(errIsTerminal)) {
      CommandLine.populateCommand(options, "-o", format);

      assertThat(context.terminal().progress()).isEqualTo(progress);
    }
  }
}
