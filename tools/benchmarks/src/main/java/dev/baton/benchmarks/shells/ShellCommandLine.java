/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.benchmarks.shells;

import dev.baton.standalone.process.DetachedCommandFactory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The commands that start the process of a shell step without Baton, many times. */
final class ShellCommandLine {
  /** The default interpreter of a shell step, and the script of the benchmark. */
  private static final List<String> SHELL = List.of("/bin/sh", "-e", "-c", "true");

  private ShellCommandLine() {}

  /** Returns the words that start the script by itself. */
  static List<String> plain() {
    return SHELL;
  }

  /**
   * Returns the words that a runner starts for a step: by {@code nsenter} in a mount namespace if
   * the user is root, by {@code setsid} in a session, each if it is installed. The namespace is the
   * present one, since the creation of another is work of the runner.
   *
   * @param folder the working folder of the processes
   */
  static List<String> asRunner(Path folder) {
    List<String> words = new ArrayList<>();
    if (System.getProperty("user.name").equals("root")) {
      find("nsenter")
          .ifPresent(
              nsenter ->
                  words.addAll(
                      List.of(nsenter, "--mount=/proc/self/ns/mnt", "--wdns=" + folder, "--")));
    }
    find("setsid").ifPresent(words::add);
    words.addAll(SHELL);
    return words;
  }

  /**
   * Returns the command that starts a process of these words for each line of {@code seq}, which
   * the process gets as an additional word.
   *
   * @param count number of processes
   * @param parallel how many at a time
   */
  static List<String> xargs(List<String> words, int count, int parallel) {
    List<String> command =
        new ArrayList<>(
            List.of(
                "/bin/sh",
                "-c",
                "n=$1; p=$2; shift 2; seq \"$n\" | xargs -P \"$p\" -n 1 \"$@\"",
                "xargs",
                Integer.toString(count),
                Integer.toString(parallel)));
    command.addAll(words);
    return command;
  }

  private static Optional<String> find(String program) {
    return DetachedCommandFactory.onPath(program).map(Path::toString);
  }
}
