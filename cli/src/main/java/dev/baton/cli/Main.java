/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.cli;

import dev.baton.cli.command.CliFailure;
import dev.baton.cli.command.CommandFactory;
import dev.baton.cli.command.Context;
import dev.baton.cli.command.ExitCode;
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

/** Where the program starts. */
public final class Main {
  private Main() {}

  public static void main(String[] args) {
    Utf8LocaleGuard.require();
    if (args.length == 1 && args[0].equals(Training.ARGUMENT)) {
      Training.run();
      return;
    }
    System.exit(run(Terminal.system(), System.getenv(), args));
  }

  /** The whole command, apart from leaving the JVM. Never throws. */
  static int run(Terminal terminal, Map<String, String> environment, String... args) {
    GlobalOptions options = new GlobalOptions();
    try (Context context = new Context(terminal, environment, options)) {
      int code = commandLine(context, options, Subcommands.of(args)).execute(args);
      // Not every command asks while it prints.
      return code == ExitCode.OK.number() && terminal.out().checkError()
          ? ExitCode.PIPE.number()
          : code;
    }
  }

  private static CommandLine commandLine(
      Context context, GlobalOptions options, Collection<Class<?>> subcommands) {
    Terminal terminal = context.terminal();
    CommandLine root = new CommandLine(new BatonCommand(options), new CommandFactory(context));
    subcommands.forEach(root::addSubcommand);
    return root.setCaseInsensitiveEnumValuesAllowed(true)
        // @FILE is the value of an option here, not a file of more arguments.
        .setExpandAtFiles(false)
        .setOut(writer(terminal.trustedOut()))
        .setErr(writer(terminal.trustedErr()))
        .setColorScheme(
            CommandLine.Help.defaultColorScheme(
                context.style().colour() ? CommandLine.Help.Ansi.ON : CommandLine.Help.Ansi.OFF))
        .setParameterExceptionHandler((failure, _) -> usage(context, failure))
        .setExecutionExceptionHandler((failure, _, _) -> failed(context, failure));
  }

  private static int usage(Context context, ParameterException failure) {
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
          CliFailure.of(
              ExitCode.USAGE,
              (failure.getMessage() + " " + hints).strip().replaceAll("\\s*\\R\\s*", " ")
                  + " — see `"
                  + command
                  + " --help`"));
    }
    return report(
        context,
        failure.getCause() instanceof CliFailure known
            ? known
            : CliFailure.usage(failure.getMessage() + " — see `" + command + " --help`"));
  }

  private static int failed(Context context, Exception failure) {
    if (failure instanceof CliFailure known) {
      if (context.options().verbose() && known.getCause() != null) {
        known.getCause().printStackTrace(context.terminal().err());
      }
      return report(context, known);
    }
    // A mistake of this program: the one line still comes first, the rest where it was asked for.
    report(
        context,
        CliFailure.of(
            ExitCode.SERVER,
            "unexpected: " + failure + " — run it again with -v and report what it shows"));
    if (context.options().verbose()) {
      failure.printStackTrace(context.terminal().err());
    }
    return ExitCode.SERVER.number();
  }

  private static int report(Context context, CliFailure failure) {
    if (failure.code() == ExitCode.PIPE) {
      // The reader has what it wanted: `events ID -f | head -1` is no mistake.
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
