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
 * What lets the stack's programs start about twice as fast: made once for each build, by starting a
 * stack that records itself. Only ever a help, so a failure is told and no more.
 */
public final class StartupCacheBuilder {
  private StartupCacheBuilder() {}

  /**
   * Makes those that are missing; within a second when none is.
   *
   * @param lines gets what is going on
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
          .println("baton: without caches programs start slower; making them failed: " + e.line());
    } finally {
      TreeDeleter.deleteFully(folder);
    }
  }

  /** Says before the first line that work is done, and nothing when there is none. */
  private static final class FirstLine implements Consumer<String> {
    private final Consumer<String> lines;
    private boolean said;

    FirstLine(Consumer<String> lines) {
      this.lines = lines;
    }

    @Override
    public void accept(String line) {
      if (!said && !line.contains("up to date")) {
        lines.accept("making caches for faster starts, once for this build");
        said = true;
      }
    }
  }
}
