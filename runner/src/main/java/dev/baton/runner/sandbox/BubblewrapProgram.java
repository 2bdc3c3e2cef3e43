/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.sandbox;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The program {@code bwrap} of this machine. Checks at the first use that it has the required
 * version and that the kernel permits it to create a sandbox; a failure is checked again at the
 * next use. Thread-safe.
 */
final class BubblewrapProgram {
  /** The first release whose options sandboxes need. */
  static final String MIN_VERSION = "0.8.0";

  private static final Duration TIMEOUT = Duration.ofSeconds(10);
  private static final int MAX_MESSAGE = 300;
  private static final Pattern VERSION = Pattern.compile("([0-9]{1,4})\\.([0-9]{1,4})\\.([0-9]+)");
  private static final String SEE = "see docs/operations.md#sandboxes";

  private final String searchPath;
  private @Nullable Path checked;

  /**
   * @param searchPath folders, as in the variable PATH
   */
  BubblewrapProgram(String searchPath) {
    this.searchPath = searchPath;
  }

  /**
   * Returns the program, once it has created a sandbox.
   *
   * @param sandbox arguments of a sandbox that runs {@code true}
   * @throws SandboxException with what is missing or not permitted, and what to do
   */
  synchronized Path check(List<String> sandbox) throws SandboxException {
    Path known = checked;
    if (known != null) {
      return known;
    }
    Path program =
        find()
            .orElseThrow(
                () ->
                    unavailable(
                        "bubblewrap is not installed: no 'bwrap' in %s; install the package bubblewrap, %s or newer"
                            .formatted(searchPath, MIN_VERSION)));
    String version = run(List.of(program.toString(), "--version"), program);
    if (!isRecent(version)) {
      throw unavailable(
          "%s is '%s'; sandboxes need bubblewrap %s or newer"
              .formatted(program, version, MIN_VERSION));
    }
    List<String> words = new ArrayList<>(List.of(program.toString()));
    words.addAll(sandbox);
    run(words, program);
    checked = program;
    return program;
  }

  private Optional<Path> find() {
    return Arrays.stream(searchPath.split(File.pathSeparator))
        .filter(folder -> folder.startsWith("/"))
        .map(folder -> Path.of(folder, "bwrap"))
        .filter(Files::isExecutable)
        .findFirst();
  }

  static boolean isRecent(String version) {
    Matcher found = VERSION.matcher(version);
    Matcher least = VERSION.matcher(MIN_VERSION);
    if (!found.find() || !least.find()) {
      return false;
    }
    for (int part = 1; part <= 3; part++) {
      int order = Integer.compare(number(found, part), number(least, part));
      if (order != 0) {
        return order > 0;
      }
    }
    return true;
  }

  private static int number(Matcher version, int part) {
    String digits = version.group(part);
    return digits.length() > 4 ? Integer.MAX_VALUE : Integer.parseInt(digits);
  }

  /** Returns the output of a command that must succeed. */
  private static String run(List<String> words, Path program) throws SandboxException {
    try {
      Process process =
          new ProcessBuilder(words)
              .redirectErrorStream(true)
              .redirectInput(ProcessBuilder.Redirect.from(new File("/dev/null")))
              .start();
      try {
        if (!process.waitFor(TIMEOUT.toMillis(), TimeUnit.MILLISECONDS)) {
          throw unavailable(
              "%s has not ended after %d s; %s".formatted(program, TIMEOUT.toSeconds(), SEE));
        }
        byte[] output = process.getInputStream().readNBytes(MAX_MESSAGE);
        String text = new String(output, StandardCharsets.UTF_8).strip();
        if (process.exitValue() != 0) {
          throw unavailable(
              "the kernel or the container of this runner does not permit a sandbox: %s (exit code %d); %s"
                  .formatted(text.lines().findFirst().orElse(""), process.exitValue(), SEE));
        }
        return text;
      } finally {
        process.destroyForcibly();
      }
    } catch (SandboxException e) {
      throw e;
    } catch (IOException e) {
      throw unavailable("%s cannot be started: %s".formatted(program, e.getMessage()));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw unavailable("the check of %s was interrupted".formatted(program));
    }
  }

  private static SandboxException unavailable(String message) {
    return new SandboxException(SandboxException.Reason.UNAVAILABLE, "sandbox: " + message);
  }
}
