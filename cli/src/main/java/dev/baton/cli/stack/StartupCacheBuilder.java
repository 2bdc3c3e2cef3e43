/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.cli.stack;

import dev.baton.cli.command.CliException;
import dev.baton.cli.terminal.Terminal;
import dev.baton.snapshot.TreeDeleter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.Consumer;

/**
 * Creates the caches that let the stack's programs start about twice as fast: once per build, by
 * starting a stack that records itself. Only an optimization, so a failure is just reported.
 */
public final class StartupCacheBuilder {
  private StartupCacheBuilder() {}

  /**
   * Creates missing caches; takes less than a second when none is missing.
   *
   * @param lines gets progress messages
   */
  public static void ensure(Terminal terminal, Consumer<String> lines)
      throws IOException, InterruptedException {
    Path folder = Files.createTempDirectory("baton-caches-");
    StackProgram program = StackProgram.of(new DataFolder(folder));
    try (StartRollback _ = StartRollback.arm(program, terminal)) {
      program.makeCaches(new FirstLine(lines));
    } catch (CliException e) {
      terminal
          .err()
          .println(
              "baton: without caches programs start slower; creating them failed: " + e.line());
    } finally {
      TreeDeleter.deleteFully(folder);
    }
  }

  /** Prints a message before the first line of work; prints nothing without work. */
  private static final class FirstLine implements Consumer<String> {
    private final Consumer<String> lines;
    private boolean said;

    FirstLine(Consumer<String> lines) {
      this.lines = lines;
    }

    @Override
    public void accept(String line) {
      if (!said && !line.contains("up to date")) {
        lines.accept("creating caches for faster starts, once for this build");
        said = true;
      }
    }
  }
}
