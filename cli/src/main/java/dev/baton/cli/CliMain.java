/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.cli;

import dev.baton.cli.command.CliException;
import dev.baton.cli.command.CliExitCode;
import dev.baton.cli.command.CommandContext;
import dev.baton.cli.command.CommandFactory;
import dev.baton.cli.command.GlobalOptions;
import dev.baton.cli.terminal.Terminal;
import dev.baton.cli.terminal.TextEscaper;
import dev.baton.protocol.locale.Utf8LocaleGuard;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.Map;
import picocli.CommandLine;
import picocli.CommandLine.ParameterException;

/** Entry point of the program. */
public final class CliMain {
  private CliMain() {}

  public static void main(String[] args) {
    Utf8LocaleGuard.require();
    if (args.length == 1 && args[0].equals(CliAotTrainer.ARGUMENT)) {
      CliAotTrainer.run();
      return;
    }
    System.exit(run(Terminal.system(), System.getenv(), args));
  }

  /** Runs the command without exiting the JVM. Never throws. */
  static int run(Terminal terminal, Map<String, String> environment, String... args) {
    GlobalOptions options = new GlobalOptions();
    try (CommandContext context = new CommandContext(terminal, environment, options)) {
      int code = commandLine(context, options, SubcommandRegistry.of(args)).execute(args);
      // Not every command checks for this while it prints.
      return code == CliExitCode.OK.number() && terminal.out().checkError()
          ? CliExitCode.PIPE.number()
          : code;
    }
  }

  private static CommandLine commandLine(
      CommandContext context, GlobalOptions options, Collection<Class<?>> subcommands) {
    Terminal terminal = context.terminal();
    CommandLine root = new CommandLine(new BatonCommand(options), new CommandFactory(context));
    subcommands.forEach(root::addSubcommand);
    return root.setCaseInsensitiveEnumValuesAllowed(true)
        // Here @FILE is the value of an option, not a file of more arguments.
        .setExpandAtFiles(false)
        .setOut(writer(terminal.trustedOut()))
        .setErr(writer(terminal.trustedErr()))
        .setColorScheme(
            CommandLine.Help.defaultColorScheme(
                context.style().colour() ? CommandLine.Help.Ansi.ON : CommandLine.Help.Ansi.OFF))
        .setParameterExceptionHandler((failure, _) -> usage(context, failure))
        .setExecutionExceptionHandler((failure, _, _) -> failed(context, failure));
  }

  private static int usage(CommandContext context, ParameterException failure) {
    String command = failure.getCommandLine().getCommandSpec().qualifiedName();
    if (failure instanceof CommandLine.MissingParameterException
        || failure instanceof CommandLine.UnmatchedArgumentException
        || failure.getCause() == null) {
      StringWriter hints = new StringWriter();
      if (failure instanceof CommandLine.UnmatchedArgumentException unmatched) {
        CommandLine.UnmatchedArgumentException.printSuggestions(
            unmatched, new PrintWriter(hints, true));
      }
      return report(
          context,
          CliException.of(
              CliExitCode.USAGE,
              (failure.getMessage() + " " + hints).strip().replaceAll("\\s*\\R\\s*", " ")
                  + " — see `"
                  + command
                  + " --help`"));
    }
    return report(
        context,
        failure.getCause() instanceof CliException known
            ? known
            : CliException.usage(failure.getMessage() + " — see `" + command + " --help`"));
  }

  private static int failed(CommandContext context, Exception failure) {
    if (failure instanceof CliException known) {
      if (context.options().verbose() && known.getCause() != null) {
        known.getCause().printStackTrace(context.terminal().err());
      }
      return report(context, known);
    }
    // A bug in this program: prints the one line first, details only with -v.
    report(
        context,
        CliException.of(
            CliExitCode.SERVER,
            "unexpected: " + failure + " — run it again with -v and report what it shows"));
    if (context.options().verbose()) {
      failure.printStackTrace(context.terminal().err());
    }
    return CliExitCode.SERVER.number();
  }

  private static int report(CommandContext context, CliException failure) {
    if (failure.code() == CliExitCode.PIPE) {
      // The reader closed the pipe: `events ID -f | head -1` is not an error.
      return failure.code().number();
    }
    var err = context.terminal().err();
    if (context.json()) {
      err.println(TextEscaper.json(failure.asJson().toString()));
    } else {
      err.println("baton: " + TextEscaper.block(failure.line()));
      failure.details().forEach(line -> err.println("  " + TextEscaper.block(line)));
    }
    return failure.code().number();
  }

  private static PrintWriter writer(java.io.PrintStream stream) {
    return new PrintWriter(new java.io.OutputStreamWriter(stream, StandardCharsets.UTF_8), true);
  }
}
