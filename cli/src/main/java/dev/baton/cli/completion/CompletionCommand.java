/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.cli.completion;

import dev.baton.cli.command.CommandContext;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import picocli.AutoComplete;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code baton completion bash|zsh}. */
@Command(
    name = "completion",
    description = "Print a completion script: source <(baton completion bash)")
public final class CompletionCommand implements Runnable {
  enum Shell {
    BASH,
    ZSH
  }

  private final CommandContext context;

  @Spec private @Nullable CommandSpec spec;

  @Parameters(paramLabel = "bash|zsh", description = "The shell to print it for.")
  private Shell shell = Shell.BASH;

  public CompletionCommand(CommandContext context) {
    this.context = context;
  }

  @Override
  public void run() {
    String script = AutoComplete.bash("baton", Objects.requireNonNull(spec).root().commandLine());
    switch (shell) {
      case BASH -> context.print(script);
      case ZSH ->
          context.print(
              "autoload -U +X compinit && compinit\n"
                  + "autoload -U +X bashcompinit && bashcompinit\n"
                  + script);
    }
  }
}
