/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.cli.checkpoint;

import dev.baton.cli.command.CliException;
import dev.baton.cli.command.CliExitCode;
import java.io.IOException;

/** Runs work on files and turns its failures into error messages. */
final class FileWork {
  private FileWork() {}

  /** The work. */
  @FunctionalInterface
  interface Work {
    void run() throws IOException, InterruptedException;
  }

  /**
   * @param what name of the work in messages: {@code the restore}
   * @throws CliException that describes the local failure
   */
  static void run(String what, Work work) {
    try {
      work.run();
    } catch (IOException e) {
      String why = e.getMessage();
      throw CliException.of(
          CliExitCode.FAILED,
          "%s failed, nothing was changed: %s"
              .formatted(what, why == null || why.isBlank() ? e.getClass().getSimpleName() : why),
          e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw CliException.of(CliExitCode.INTERRUPTED, "interrupted", e);
    }
  }
}
