/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.agent.process;

import dev.baton.agent.AgentProcess;
import dev.baton.agent.AgentProcessStarter;
import dev.baton.agent.AgentProgram;
import dev.baton.agent.AgentProgramException;
import dev.baton.agent.CheckedProgram;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Finds the program of an agent and compares its version. Thread-safe.
 *
 * @param use name of the agent
 * @param name of its program
 * @param install how to install it
 */
public record ProgramChecker(String use, String name, String install) {
  private static final Duration BOUND = Duration.ofSeconds(60);
  private static final int MOST_OUTPUT = 4_096;
  private static final Pattern VERSION = Pattern.compile("\\d+\\.\\d+(\\.\\d+)?[0-9A-Za-z.+-]*");

  /**
   * {@link dev.baton.agent.AgentDriver#check} for an agent whose program the step names. Without a
   * requested version the program is not started.
   *
   * @param missing what a step without a command has to name
   */
  public static CheckedProgram checkCommand(
      String use, String missing, AgentProgram program, AgentProcessStarter starter)
      throws AgentProgramException, InterruptedException {
    if (program.command().isEmpty()) {
      throw new AgentProgramException(
          "agent '%s': 'command' is missing; name %s".formatted(use, missing));
    }
    ProgramChecker checker =
        new ProgramChecker(use, program.command().getFirst(), "install it, or correct 'command'");
    return program.version() == null
        ? new CheckedProgram(checker.find(program), "")
        : checker.check(program, starter);
  }

  /** {@link dev.baton.agent.AgentDriver#check} for a program that supports {@code --version}. */
  public CheckedProgram check(AgentProgram program, AgentProcessStarter starter)
      throws AgentProgramException, InterruptedException {
    List<String> command = find(program);
    String version = version(command, program.path(), starter);
    String wanted = program.version();
    if (wanted != null && !isWanted(version, wanted)) {
      throw new AgentProgramException(
          "agent '%s': %s has version %s, version %s is required; %s, or change 'version' of the step"
              .formatted(use, command.getFirst(), version, wanted, installOf(wanted)));
    }
    return new CheckedProgram(command, version);
  }

  /** Finds the program, without its version. */
  public List<String> find(AgentProgram program) throws AgentProgramException {
    List<String> command =
        program.command().isEmpty() ? List.of(name) : new ArrayList<>(program.command());
    String first = command.getFirst();
    Path file = first.contains("/") ? Path.of(first) : inPath(first, program.path());
    if (file == null) {
      throw new AgentProgramException(
          "agent '%s': program '%s' is not in PATH; %s"
              .formatted(use, first, installOf(wanted(program))));
    }
    if (!Files.isRegularFile(file)) {
      throw new AgentProgramException(
          "agent '%s': program '%s' does not exist; %s"
              .formatted(use, file, installOf(wanted(program))));
    }
    if (!Files.isExecutable(file)) {
      throw new AgentProgramException(
          "agent '%s': program '%s' is not executable; run chmod +x on it".formatted(use, file));
    }
    List<String> found = new ArrayList<>(command);
    found.set(0, file.toAbsolutePath().normalize().toString());
    return found;
  }

  private static String wanted(AgentProgram program) {
    return program.version() == null ? "latest" : program.version();
  }

  private String installOf(String version) {
    return install.replace("VERSION", version);
  }

  private static @Nullable Path inPath(String name, String path) {
    for (String folder : path.split(File.pathSeparator)) {
      if (!folder.isEmpty()) {
        Path file = Path.of(folder).resolve(name);
        if (Files.isRegularFile(file) && Files.isExecutable(file)) {
          return file;
        }
      }
    }
    return null;
  }

  private String version(List<String> command, String path, AgentProcessStarter starter)
      throws AgentProgramException, InterruptedException {
    List<String> arguments = new ArrayList<>(command);
    arguments.add("--version");
    AgentProcess process;
    try {
      process =
          starter.start(
              new AgentProcessStarter.AgentCommand(
                  arguments,
                  Map.of("PATH", path, "HOME", "/nonexistent", "DISABLE_AUTOUPDATER", "1"),
                  Path.of("/")));
    } catch (IOException e) {
      throw new AgentProgramException(
          "agent '%s': %s cannot be started: %s"
              .formatted(use, command.getFirst(), e.getMessage()));
    }
    CompletableFuture<String> output = new CompletableFuture<>();
    Thread.ofVirtual().start(() -> output.complete(head(process.stdout())));
    CompletableFuture<String> errors = new CompletableFuture<>();
    Thread.ofVirtual().start(() -> errors.complete(head(process.stderr())));
    try {
      process.stdin().close();
      int exit = process.onExit().get(BOUND.toMillis(), TimeUnit.MILLISECONDS);
      String text = output.get(5, TimeUnit.SECONDS);
      Matcher matcher = VERSION.matcher(text);
      if (exit != 0 || !matcher.find()) {
        throw new AgentProgramException(
            "agent '%s': '%s --version' reports no version; exit code %d: %s"
                .formatted(use, command.getFirst(), exit, (text + errors.getNow("")).strip()));
      }
      return matcher.group();
    } catch (IOException | ExecutionException e) {
      throw new AgentProgramException(
          "agent '%s': '%s --version' failed: %s"
              .formatted(use, command.getFirst(), e.getMessage()));
    } catch (TimeoutException e) {
      throw new AgentProgramException(
          "agent '%s': '%s --version' did not end within %d s"
              .formatted(use, command.getFirst(), BOUND.toSeconds()));
    } finally {
      process.kill();
    }
  }

  /** Reads to the end, and keeps the beginning. */
  private static String head(java.io.InputStream in) {
    try (in) {
      String text = new String(in.readNBytes(MOST_OUTPUT), StandardCharsets.UTF_8);
      byte[] rest = new byte[MOST_OUTPUT];
      while (in.read(rest) >= 0) {
        // Only the beginning counts.
      }
      return text;
    } catch (IOException e) {
      return "";
    }
  }

  /** Whether the version is the required one or begins with its numbers. */
  static boolean isWanted(String version, String wanted) {
    return version.equals(wanted)
        || (version.startsWith(wanted) && ".-+".indexOf(version.charAt(wanted.length())) >= 0);
  }
}
