/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.cli.command;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;
import picocli.CommandLine.ScopeType;

/** Options of every command, before or after its name. */
public final class GlobalOptions {
  @Option(
      names = {"-o", "--output"},
      paramLabel = "table|json",
      description = "Output format: ${COMPLETION-CANDIDATES}. With json, stdout has only JSON.",
      scope = ScopeType.INHERIT)
  private OutputFormat format = OutputFormat.TABLE;

  @Option(
      names = "--server",
      paramLabel = "URL",
      description =
          "The orchestrator's address. Default: $$BATON_SERVER, else the stack that `baton up` started.",
      scope = ScopeType.INHERIT)
  private @Nullable String server;

  @Option(
      names = "--api-key-file",
      paramLabel = "FILE",
      description =
          "A file with the API key. Default: $$BATON_API_KEY, $$BATON_API_KEY_FILE, else that of the stack that `baton up` started.",
      scope = ScopeType.INHERIT)
  private @Nullable Path apiKeyFile;

  @Option(
      names = "--data",
      paramLabel = "DIR",
      description = "The data folder of the local stack. Default: $$BATON_DATA, else ~/.baton.",
      scope = ScopeType.INHERIT)
  private @Nullable Path data;

  @Option(
      names = "--no-color",
      description =
          "Disable colours. They are also disabled by NO_COLOR, and when the output is not a terminal.",
      scope = ScopeType.INHERIT)
  private boolean noColor;

  @Option(
      names = {"-v", "--verbose"},
      description = "Show each request, and the stack trace of an unexpected error.",
      scope = ScopeType.INHERIT)
  private boolean verbose;

  public OutputFormat format() {
    return format;
  }

  public @Nullable String server() {
    return server;
  }

  public @Nullable Path apiKeyFile() {
    return apiKeyFile;
  }

  public @Nullable Path data() {
    return data;
  }

  public boolean noColor() {
    return noColor;
  }

  public boolean verbose() {
    return verbose;
  }
}
