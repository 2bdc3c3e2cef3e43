/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.cli.demo;

import dev.baton.cli.command.CliException;
import dev.baton.cli.command.CliExitCode;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The program of an agent on this machine.
 *
 * @param file of the program, absolute
 */
record DemoAgentProgram(DemoAgent agent, Path file, String version) {
  private static final Duration WITHIN = Duration.ofSeconds(30);
  private static final Pattern VERSION = Pattern.compile("[0-9]+\\.[0-9]+\\.[0-9]+");
  private static final int MAX_OUTPUT = 4_096;

  /**
   * Finds the program and checks its version.
   *
   * @param named the program; null to search the path
   * @param searchPath folders as in the variable {@code PATH}
   * @throws CliException when it is missing or has another version; the message has the command
   *     that installs it
   */
  static DemoAgentProgram find(DemoAgent agent, @Nullable String named, String searchPath)
      throws IOException, InterruptedException {
    Path file =
        named == null
            ? onPath(agent.use(), searchPath)
                .orElseThrow(() -> missing(agent, agent.use() + " is not in PATH"))
            : Path.of(named).toAbsolutePath();
    if (!Files.isRegularFile(file) || !Files.isExecutable(file)) {
      throw missing(agent, "--program " + file + " is not an executable file");
    }
    String said = run(file, agent);
    Matcher version = VERSION.matcher(said);
    if (!version.find()) {
      throw missing(
          agent, "%s --version printed '%s', not a version".formatted(file, said.strip()));
    }
    if (!version.group().startsWith(agent.version() + ".")) {
      throw missing(
          agent,
          "%s is version %s, and the answers of the demo's model are for %s"
              .formatted(file, version.group(), agent.version()));
    }
    return new DemoAgentProgram(agent, file, version.group());
  }

  private static Optional<Path> onPath(String name, String searchPath) {
    for (String folder : searchPath.split(File.pathSeparator)) {
      try {
        Path file = Path.of(folder, name).toAbsolutePath();
        if (!folder.isEmpty() && Files.isRegularFile(file) && Files.isExecutable(file)) {
          return Optional.of(file);
        }
      } catch (InvalidPathException notAFolder) {
        continue;
      }
    }
    return Optional.empty();
  }

  private static String run(Path file, DemoAgent agent) throws IOException, InterruptedException {
    Path out = Files.createTempFile("baton-version-", ".txt");
    try {
      Process process =
          new ProcessBuilder(file.toString(), "--version")
              .redirectInput(new File("/dev/null"))
              .redirectErrorStream(true)
              .redirectOutput(out.toFile())
              .start();
      if (!process.waitFor(WITHIN.toSeconds(), TimeUnit.SECONDS)) {
        process.destroyForcibly();
        throw missing(
            agent, "%s --version has not ended within %d s".formatted(file, WITHIN.toSeconds()));
      }
      try (var in = Files.newInputStream(out)) {
        return new String(in.readNBytes(MAX_OUTPUT), StandardCharsets.UTF_8);
      }
    } catch (IOException e) {
      throw CliException.of(CliExitCode.FAILED, file + " cannot be run: " + e.getMessage(), e);
    } finally {
      Files.deleteIfExists(out);
    }
  }

  private static CliException missing(DemoAgent agent, String what) {
    return CliException.of(
        CliExitCode.FAILED,
        "%s; install it with '%s', or name another program with --program FILE"
            .formatted(what, agent.installation()));
  }

  /**
   * Returns the settings with which runners find this program. Its home folder is empty: its shells
   * run no start-up files of the user, which may wait for locks.
   *
   * @param folder a new folder, for a script that starts it, and for its home
   */
  Map<String, String> settings(Path folder, String searchPath) throws IOException {
    Path script = Files.createDirectories(folder).resolve(agent.use());
    Path home = Files.createDirectory(folder.resolve("home"));
    Files.writeString(
        script, "#!/bin/sh\nHOME=%s exec %s \"$@\"\n".formatted(quoted(home), quoted(file)));
    Files.setPosixFilePermissions(script, PosixFilePermissions.fromString("rwxr-xr-x"));
    return Map.of("PATH", folder + File.pathSeparator + searchPath);
  }

  private static String quoted(Path file) {
    return "'" + file.toString().replace("'", "'\\''") + "'";
  }
}
